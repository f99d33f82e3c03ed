/** Durable rows: one transaction and one fsync for all rows of a turn of the event loop. */
import { DatabaseSync } from "node:sqlite"

export interface Entry {
  readonly stream: string
  readonly ordinal: number
  readonly type: string
  readonly data: string
}

export interface GroupCommit {
  readonly append: (entry: Entry, durable: () => void) => void
}

export const open = (filename: string): GroupCommit => {
  const db = new DatabaseSync(filename)
  db.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE events (
      position INTEGER PRIMARY KEY,
      stream TEXT NOT NULL,
      ordinal INTEGER NOT NULL,
      type TEXT NOT NULL,
      time INTEGER NOT NULL,
      data TEXT NOT NULL,
      UNIQUE (stream, ordinal)
    ) STRICT;
  `)
  const begin = db.prepare("BEGIN IMMEDIATE")
  const commit = db.prepare("COMMIT")
  const insert = db.prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)")
  let position = 0
  let waiting: Array<{ readonly entry: Entry; readonly durable: () => void }> = []

  const flush = () => {
    const batch = waiting
    waiting = []
    const now = Date.now()
    begin.run()
    for (const { entry } of batch)
      insert.run(++position, entry.stream, entry.ordinal, entry.type, now, entry.data)
    commit.run()
    for (const { durable } of batch) durable()
  }

  return {
    append: (entry, durable) => {
      if (waiting.length === 0) setImmediate(flush)
      waiting.push({ entry, durable })
    }
  }
}
