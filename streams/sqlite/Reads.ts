/**
 * The queries on `log.sqlite`, prepared once per connection. Rows are arrays, because pages are read by the hundred
 * thousand.
 */
import type { DatabaseSync, SQLOutputValue, StatementSync } from "node:sqlite"
import { trustedVersion } from "../ExpectedVersion.ts"
import * as GlobalPosition from "../GlobalPosition.ts"
import type { StreamPayload } from "../EventReader.ts"
import type { SealedPayload } from "../SealedPayload.ts"
import { RecordedEvent } from "../RecordedEvent.ts"
import * as StreamName from "../StreamName.ts"

/** Events per page. */
export const pageSize = 512

export interface StoredPayload {
  readonly sequence: number
  readonly stream: string
  readonly payload: SealedPayload
}

export interface Reads {
  /** Sequence number of the last event, 0 for none. This backend's positions are these numbers. */
  readonly head: () => number
  readonly page: (after: number, limit?: number) => Array<RecordedEvent>
  /**
   * The events after `after` and up to `end`, inclusive: those of the given types, and the last two. The log's positions
   * have no gaps.
   */
  readonly ofTypes: (types: ReadonlyArray<string>, after: number, end: number) => Array<RecordedEvent>
  readonly stream: (name: string, afterOrdinal: number) => Array<RecordedEvent>
  /** The events of these streams, by stream. */
  readonly streams: (names: ReadonlyArray<string>) => Array<RecordedEvent>
  /** Sequence numbers of the events of a category's streams, unordered. Costs one index step per event. */
  readonly ofCategory: (category: string) => ReadonlyArray<number>
  /** The events with these sequence numbers, in order. */
  readonly numbered: (sequences: ReadonlyArray<number>) => Array<RecordedEvent>
  readonly payload: (stream: string, name: string) => SealedPayload | null
  readonly payloadsOf: (streams: ReadonlyArray<string>, name: string) => ReadonlyArray<StreamPayload>
  /** A page of payload records after `after`, in the order of their appends. */
  readonly payloadPage: (after: number) => ReadonlyArray<StoredPayload>
  /** A page of hashes of the events after `after`, in order. */
  readonly hashes: (after: number) => ReadonlyArray<{ readonly sequence: number; readonly hash: string }>
}

type Row = ReadonlyArray<SQLOutputValue>

const columns = "position, stream, ordinal, id, type, time, data, hash"

/** True for a payload record that is not erased. */
const isPresent = "(text IS NOT NULL OR blob IS NOT NULL)"

export const make = (db: DatabaseSync): Reads => {
  const prepare = (sql: string) => {
    const statement = db.prepare(sql)
    statement.setReturnArrays(true)
    return statement
  }
  const head = prepare("SELECT max(position) FROM events")
  const page = prepare(`SELECT ${columns} FROM events WHERE position > ? ORDER BY position LIMIT ?`)
  const ofTypes = prepare(`SELECT ${columns} FROM events WHERE position > ? AND position <= ?
    AND (type IN (SELECT value FROM json_each(?)) OR position > ?) ORDER BY position`)
  const stream = prepare(`SELECT ${columns} FROM events WHERE stream = ? AND ordinal > ? ORDER BY ordinal`)
  const streams = prepare(
    `SELECT ${columns} FROM events WHERE stream IN (SELECT value FROM json_each(?)) ORDER BY stream, ordinal`
  )
  // The range ends at the character after the hyphen.
  const ofCategory = prepare("SELECT position FROM events WHERE stream >= ? || '-' AND stream < ? || '.'")
  const numbered = prepare(
    `SELECT ${columns} FROM events WHERE position IN (SELECT value FROM json_each(?)) ORDER BY position`
  )
  const payload = prepare(
    `SELECT name, salt, hash, size, text, blob FROM payloads WHERE stream = ? AND name = ? AND ${isPresent}`
  )
  const payloadsOf = prepare(
    `SELECT name, salt, hash, size, text, blob, stream FROM payloads
      WHERE stream IN (SELECT value FROM json_each(?)) AND name = ? AND ${isPresent}`
  )
  const payloadPage = prepare(
    `SELECT name, salt, hash, size, text, blob, stream, rowid FROM payloads
      WHERE rowid > ? AND ${isPresent} ORDER BY rowid LIMIT ${pageSize}`
  )
  const hashes = prepare(
    `SELECT position, hash FROM events WHERE position > ? ORDER BY position LIMIT ${pageSize}`
  )
  return {
    head: () => Number(one(head)?.[0] ?? 0),
    page: (after, limit = pageSize) => many(page, after, limit).map(toEvent),
    ofTypes: (types, after, end) => many(ofTypes, after, end, JSON.stringify(types), end - 2).map(toEvent),
    stream: (name, afterOrdinal) => many(stream, name, afterOrdinal).map(toEvent),
    streams: (names) => many(streams, JSON.stringify(names)).map(toEvent),
    ofCategory: (category) => many(ofCategory, category, category).map(([sequence]) => Number(sequence)),
    numbered: (sequences) => many(numbered, JSON.stringify(sequences)).map(toEvent),
    payload: (name, payloadName) => {
      const row = one(payload, name, payloadName)
      return row === undefined ? null : toPayload(row)
    },
    payloadsOf: (streams, name) =>
      many(payloadsOf, JSON.stringify(streams), name).map((row) => ({
        stream: StreamName.trusted(String(row[6])),
        payload: toPayload(row)
      })),
    payloadPage: (after) =>
      many(payloadPage, after).map((row) => ({
        sequence: Number(row[7]),
        stream: String(row[6]),
        payload: toPayload(row)
      })),
    hashes: (after) => many(hashes, after).map((row) => ({ sequence: Number(row[0]), hash: String(row[1]) }))
  }
}

// The driver types rows as objects; `setReturnArrays` makes them arrays.
const many = (statement: StatementSync, ...parameters: ReadonlyArray<string | number>) =>
  statement.all(...parameters) as unknown as ReadonlyArray<Row>
const one = (statement: StatementSync, ...parameters: ReadonlyArray<string | number>) =>
  statement.get(...parameters) as unknown as Row | undefined

const toEvent = (row: Row): RecordedEvent =>
  new RecordedEvent({
    position: GlobalPosition.trusted(String(row[0])),
    stream: StreamName.trusted(String(row[1])),
    ordinal: Number(row[2]),
    version: trustedVersion(String(row[2])),
    id: String(row[3]),
    type: String(row[4]),
    time: Number(row[5]),
    text: String(row[6]),
    hash: String(row[7])
  })

const toPayload = (row: Row): SealedPayload => ({
  name: String(row[0]),
  salt: String(row[1]),
  hash: String(row[2]),
  size: Number(row[3]),
  content: row[4] === null ? { _tag: "Blob", key: String(row[5]) } : { _tag: "Inline", text: String(row[4]) }
})
