/** A log of chained events and payloads in SQLite: all appends of one turn of the event loop share a transaction and its fsync. */
import * as crypto from "node:crypto"
import { DatabaseSync } from "node:sqlite"
import { hashOf, type Sealed } from "./Sealing.ts"

interface Event {
  readonly id: string
  readonly type: string
  /** Unix time in ms. */
  readonly time: number
  /** Canonical JSON. */
  readonly data: string
}

export interface Append {
  readonly stream: string
  readonly events: ReadonlyArray<Event>
  readonly payload?: Sealed
  /** No append to the stream follows. */
  readonly isLast: boolean
  /** Called after the fsync. */
  readonly durable: () => void
}

export interface Log {
  readonly append: (append: Append) => void
  /** The text of a payload, checked against its hash. */
  readonly payload: (stream: string, name: string) => string
}

interface Tail {
  readonly ordinal: number
  readonly hash: string
}

const beforeFirst: Tail = { ordinal: -1, hash: "" }

const sha256 = (text: string): string => crypto.hash("sha256", text, "base64url")

export const open = (filename: string): Log => {
  const db = new DatabaseSync(filename)
  db.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE events (
      position INTEGER PRIMARY KEY,
      stream TEXT NOT NULL,
      ordinal INTEGER NOT NULL,
      id TEXT NOT NULL,
      type TEXT NOT NULL,
      time INTEGER NOT NULL,
      data TEXT NOT NULL,
      hash TEXT NOT NULL,
      UNIQUE (stream, ordinal)
    ) STRICT;
    CREATE TABLE payloads (
      stream TEXT NOT NULL,
      name TEXT NOT NULL,
      salt TEXT NOT NULL,
      hash TEXT NOT NULL,
      size INTEGER NOT NULL,
      text TEXT,
      blob TEXT,
      UNIQUE (stream, name)
    ) STRICT;
  `)
  const begin = db.prepare("BEGIN IMMEDIATE")
  const commit = db.prepare("COMMIT")
  const insertEvent = db.prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
  const insertPayload = db.prepare("INSERT INTO payloads VALUES (?, ?, ?, ?, ?, ?, ?)")
  const findPayload = db.prepare("SELECT salt, hash, text FROM payloads WHERE stream = ? AND name = ?")
  const tails = new Map<string, Tail>()
  let position = 0
  let digest = ""
  let waiting: Array<Append> = []

  const write = ({ events, isLast, payload, stream }: Append) => {
    let { hash, ordinal } = tails.get(stream) ?? beforeFirst
    for (const { data, id, time, type } of events) {
      ordinal++
      hash = sha256(`${hash}\n${JSON.stringify([stream, ordinal, id, type, time])}${data}`)
      digest = sha256(`${digest}\n${hash}`)
      insertEvent.run(++position, stream, ordinal, id, type, time, data, hash)
    }
    if (payload !== undefined) {
      const { name, salt, text } = payload
      insertPayload.run(stream, name, salt, payload.hash, text.length, text, null)
    }
    if (isLast) tails.delete(stream)
    else tails.set(stream, { ordinal, hash })
  }

  const flush = () => {
    const batch = waiting
    waiting = []
    begin.run()
    for (const append of batch) write(append)
    commit.run()
    for (const { durable } of batch) durable()
  }

  return {
    append: (append) => {
      if (waiting.length === 0) setImmediate(flush)
      waiting.push(append)
    },
    payload: (stream, name) => {
      const { hash, salt, text } = findPayload.get(stream, name) ?? {}
      if (hash !== hashOf(String(salt), String(text))) throw new Error("expected the hash of the payload")
      return String(text)
    }
  }
}
