/** The floor of T9: `node:sqlite` alone, on the tables of `log.sqlite`, with one transaction and fsync per append. */
import * as crypto from "node:crypto"
import { DatabaseSync } from "node:sqlite"
import * as BulkLoad from "../../rows/log/BulkLoad.ts"
import * as Commits from "../../rows/log/Commits.ts"

const db = new DatabaseSync(`${BulkLoad.directory()}/floor.sqlite`)
db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  CREATE TABLE events (
    position INTEGER PRIMARY KEY, stream TEXT NOT NULL, ordinal INTEGER NOT NULL, id TEXT NOT NULL,
    type TEXT NOT NULL, time INTEGER NOT NULL, data TEXT NOT NULL, hash TEXT NOT NULL, UNIQUE (stream, ordinal)
  ) STRICT;
  CREATE TABLE payloads (stream TEXT NOT NULL, name TEXT NOT NULL, text TEXT, UNIQUE (stream, name)) STRICT`)
const insertEvent = db.prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
const insertPayload = db.prepare("INSERT INTO payloads VALUES (?, ?, ?)")
const begin = db.prepare("BEGIN IMMEDIATE")
const commit = db.prepare("COMMIT")
let position = 0

Commits.serve(({ isOver, next }) => {
  while (!isOver()) {
    const { events, expected, payloads, stream } = next()
    const first = expected._tag === "Exactly" ? Number(expected.version) + 1 : 0
    begin.run()
    for (const [index, { data, id, time, type }] of events.entries()) {
      const text = JSON.stringify(data)
      const hash = crypto.hash("sha256", `${stream}\n${first + index}\n${id}\n${text}`, "base64url")
      insertEvent.run(++position, stream, first + index, id, type, time, text, hash)
    }
    for (const { content, name } of payloads ?? [])
      insertPayload.run(stream, name, content._tag === "Inline" ? content.text : null)
    commit.run()
  }
})
