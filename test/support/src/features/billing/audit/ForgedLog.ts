/** A log forged by someone who knows its format: ordinals, hashes and log.head are consistent. */
import * as fs from "node:fs"
import { DatabaseSync } from "node:sqlite"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import * as CanonicalJson from "#domain/CanonicalJson.ts"
import * as EventChain from "#streams/EventChain.ts"
import * as LogHead from "#streams/LogHead.ts"
import * as LogFiles from "#streams/sqlite/LogFiles.ts"
import * as StreamName from "#streams/StreamName.ts"
import { streamOf } from "./AuditedLog.ts"

/** An event as the forger sees it. Position and hash follow from its place in the log. */
export interface Forged {
  stream: string
  id: string
  type: string
  time: number
  data: JsonObject
}

export type Log = Array<Forged>

export const first = (log: Log, matches: (event: Forged) => boolean): Forged => {
  const found = log.find(matches)
  if (found === undefined) throw new Error("There is no such event")
  return found
}

/** The first event of the type in the stream of the request or account. */
export const find = (log: Log, type: string, of: string): Forged => {
  const stream = of.startsWith("Account-") ? of : streamOf(of)
  return first(log, (event) => event.type === type && event.stream === stream)
}

let forgedIds = 0

/** Inserts an event after another one. */
export const insertAfter = (
  log: Log,
  after: Forged,
  event: Partial<Forged> & Pick<Forged, "type" | "data">
): Forged => {
  const forged = { stream: after.stream, time: after.time, id: `forged-${forgedIds++}`, ...event }
  log.splice(log.indexOf(after) + 1, 0, forged)
  return forged
}

export const remove = (log: Log, event: Forged): void => {
  log.splice(log.indexOf(event), 1)
}

export const swap = (log: Log, a: Forged, b: Forged): void => {
  const [first, second] = [log.indexOf(a), log.indexOf(b)]
  log[first] = b
  log[second] = a
}

/** Lets `alter` change the log, writes it again, and returns the position of the event that `alter` returns. */
export const rewrite = (directory: string, alter: (log: Log) => Forged): string => {
  const files = LogFiles.files(directory)
  using db = new DatabaseSync(files.log)
  const log: Log = db
    .prepare("SELECT stream, id, type, time, data FROM events ORDER BY position")
    .all()
    .map(({ data, id, stream, time, type }) => ({
      stream: String(stream),
      id: String(id),
      type: String(type),
      time: Number(time),
      data: JSON.parse(String(data)) as JsonObject
    }))
  const guilty = alter(log)
  const digest = write(db, log)
  fs.rmSync(files.head)
  const head = LogHead.open(files.head)
  head.write({ sequence: log.length, digest })
  head.close()
  return String(log.indexOf(guilty) + 1)
}

/** Returns the digest. */
const write = (db: DatabaseSync, log: Log): string => {
  db.exec("BEGIN; DELETE FROM events")
  const insert = db.prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
  const tails = new Map<string, { readonly ordinal: number; readonly hash: string }>()
  let digest = EventChain.origin
  for (const [index, { data, id, stream, time, type }] of log.entries()) {
    const tail = tails.get(stream) ?? { ordinal: -1, hash: EventChain.origin }
    const ordinal = tail.ordinal + 1
    const text = CanonicalJson.stringify(data)
    const hash = EventChain.hash(tail.hash, {
      stream: StreamName.trusted(stream),
      ordinal,
      id,
      type,
      time,
      text
    })
    tails.set(stream, { ordinal, hash })
    digest = EventChain.digest(digest, hash)
    insert.run(index + 1, stream, ordinal, id, type, time, text, hash)
  }
  db.exec("COMMIT")
  return digest
}
