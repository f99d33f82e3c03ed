/** The queries on the archive's tables of `log.sqlite`. Until the first archive, the log has no such tables. */
import type { DatabaseSync, SQLOutputValue } from "node:sqlite"
import { maxSpan } from "../../archive/FrameSpan.ts"
import type { Frame } from "../../archive/Segment.ts"
import * as LocalSegments from "../../archive/LocalSegments.ts"
import type { SegmentPlace } from "../../archive/SegmentSource.ts"
import * as LogSchema from "../Schema.ts"

export interface StoredFrame extends Frame {
  readonly id: number
  readonly place: SegmentPlace
}

/** The archived beginning of a stream. */
export interface ArchivedStream {
  readonly stream: string
  /** Ordinal and hash of its last event. */
  readonly ordinal: number
  readonly hash: string
  /** The frames that have its events. */
  readonly frames: ReadonlyArray<number>
}

interface StoredSegment extends SegmentPlace {
  readonly digest: string
  /** The number of its frames, and of those whose events are archived. */
  readonly frames: number
  readonly applied: number
}

export interface Tables {
  /** Grows with each archived frame. 0 before the first. Rows of events are deleted only when it grows. */
  readonly version: () => number
  /** The position of the first frame's beginning that a reader at `after` has before it. */
  readonly next: (after: number) => number | undefined
  /** The frames with events after `after` and up to `end`, in order. */
  readonly between: (after: number, end: number) => ReadonlyArray<StoredFrame>
  readonly frames: (ids: ReadonlyArray<number>) => ReadonlyArray<StoredFrame>
  readonly streams: (names: ReadonlyArray<string>) => ReadonlyArray<ArchivedStream>
  /** Whether a stream of the category has archived events. */
  readonly hasCategory: (category: string) => boolean
  readonly segments: () => ReadonlyArray<StoredSegment>
  /** The frames of a segment, in order. */
  readonly ofSegment: (digest: string) => ReadonlyArray<StoredFrame>
}

const none: Tables = {
  version: () => 0,
  next: () => undefined,
  between: () => [],
  frames: () => [],
  streams: () => [],
  hasCategory: () => false,
  segments: () => [],
  ofSegment: () => []
}

type Row = Record<string, SQLOutputValue>

/** The place of a segment, absolute. */
const placeIn =
  (log: string) =>
  (row: Row): SegmentPlace => ({
    key: String(row["key"]),
    location: LocalSegments.resolve(log, String(row["location"]))
  })

const frameOf =
  (placeOf: (row: Row) => SegmentPlace) =>
  (row: Row): StoredFrame => ({
    id: Number(row["id"]),
    offset: Number(row["offset"]),
    length: Number(row["length"]),
    digest: String(row["digest"]),
    first: Number(row["first"]),
    last: Number(row["last"]),
    events: Number(row["events"]),
    place: placeOf(row)
  })

const frame = `SELECT frames.id, "offset", length, frames.digest, first, last, events, key, location
  FROM frames JOIN segments ON segments.id = frames.segment`

const prepared = (db: DatabaseSync): Tables => {
  const placeOf = placeIn(db.location() ?? "")
  const toFrame = frameOf(placeOf)
  const version = db.prepare("SELECT max(id) AS version FROM frames")
  const next = db.prepare("SELECT first FROM frames WHERE first > ? AND last > ? ORDER BY first LIMIT 1")
  const between = db.prepare(`${frame} WHERE first > ? AND first <= ? AND last > ? ORDER BY first`)
  const frames = db.prepare(`${frame} WHERE frames.id IN (SELECT value FROM json_each(?)) ORDER BY first`)
  const streams = db.prepare(
    "SELECT stream, ordinal, hash, frames FROM archived WHERE stream IN (SELECT value FROM json_each(?))"
  )
  // The range ends at the character after the hyphen.
  const category = db.prepare("SELECT 1 FROM archived WHERE stream >= ? || '-' AND stream < ? || '.' LIMIT 1")
  const segments = db.prepare(
    `SELECT digest, key, location, frames,
       (SELECT count(*) FROM frames WHERE segment = segments.id) AS applied FROM segments ORDER BY id`
  )
  const ofSegment = db.prepare(`${frame} WHERE segments.digest = ? ORDER BY "offset"`)
  return {
    version: () => Number(version.get()?.["version"] ?? 0),
    next: (after) => {
      const row = next.get(after - maxSpan, after)
      return row === undefined ? undefined : Number(row["first"])
    },
    between: (after, end) => between.all(after - maxSpan, end, after).map(toFrame),
    frames: (ids) => frames.all(JSON.stringify(ids)).map(toFrame),
    streams: (names) =>
      streams.all(JSON.stringify(names)).map((row) => ({
        stream: String(row["stream"]),
        ordinal: Number(row["ordinal"]),
        hash: String(row["hash"]),
        frames: framesOf(String(row["frames"]))
      })),
    hasCategory: (name) => category.get(name, name) !== undefined,
    segments: () =>
      segments.all().map((row) => ({
        digest: String(row["digest"]),
        ...placeOf(row),
        frames: Number(row["frames"]),
        applied: Number(row["applied"])
      })),
    ofSegment: (digest) => ofSegment.all(digest).map(toFrame)
  }
}

/** The column `frames` of a stream. */
export const framesOf = (text: string): ReadonlyArray<number> => {
  const ids: unknown = JSON.parse(text)
  return Array.isArray(ids) ? ids.map(Number) : []
}

/** Finds tables that another connection adds later. */
export const make = (db: DatabaseSync): (() => Tables) => {
  const hasArchive = LogSchema.hasArchive(db)
  let found: Tables | undefined
  return () => (found ??= hasArchive() ? prepared(db) : undefined) ?? none
}
