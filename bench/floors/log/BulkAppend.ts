/**
 * The floor of T5: `node:sqlite` alone, on the events table of `log.sqlite`. Transactions of a thousand rows, durable on return,
 * with unique (stream, ordinal) and a hash chain per stream.
 */
import * as crypto from "node:crypto"
import { DatabaseSync } from "node:sqlite"
import * as BulkLoad from "../../rows/log/BulkLoad.ts"

const db = new DatabaseSync(`${BulkLoad.directory()}/floor.sqlite`)
db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  CREATE TABLE events (
    position INTEGER PRIMARY KEY, stream TEXT NOT NULL, ordinal INTEGER NOT NULL, id TEXT NOT NULL,
    type TEXT NOT NULL, time INTEGER NOT NULL, data TEXT NOT NULL, hash TEXT NOT NULL, UNIQUE (stream, ordinal)
  ) STRICT`)
const insert = db.prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
let position = 0

BulkLoad.serve((batch) => {
  db.exec("BEGIN IMMEDIATE")
  for (const { stream, events } of batch) {
    let hash = ""
    for (const [ordinal, { id, type, time, data }] of events.entries()) {
      const text = JSON.stringify(data)
      hash = crypto.hash(
        "sha256",
        `${hash}\n${stream}\n${ordinal}\n${id}\n${type}\n${time}\n${text}`,
        "base64url"
      )
      insert.run(++position, stream, ordinal, id, type, time, text, hash)
    }
  }
  db.exec("COMMIT")
})
