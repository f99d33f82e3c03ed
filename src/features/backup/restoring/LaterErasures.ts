/**
 * What was erased after the moment of a restore, as far as the backup knows: tombstones of payloads, and the ends of files. A
 * log that ends before them repeats them, so that a restore never brings back what was erased.
 */
import * as fs from "node:fs"
import { Effect } from "effect"
import * as File from "#domain/file/File.ts"
import * as Segment from "#streams/archive/Segment.ts"
import type { BlobStore } from "#streams/BlobStore.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { LogUnavailable } from "#streams/LogUnavailable.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as Tombstone from "#streams/Tombstone.ts"
import * as Database from "#streams/sqlite/Database.ts"
import { type Generation, type Manifest, newest } from "../format/Manifest.ts"
import * as Pieces from "../format/Pieces.ts"
import * as SegmentLines from "../format/SegmentLines.ts"
import * as SqliteFiles from "../format/SqliteFiles.ts"
import * as Truncation from "./Truncation.ts"

const ofFiles = ["FileDeleted", "FileExpired", "BytesRemoved"]

const types = [Tombstone.type, ...ofFiles]

export const isErasing = ({ stream, type }: Pick<RecordedEvent, "stream" | "type">): boolean =>
  type === Tombstone.type ||
  (ofFiles.includes(type) && StreamName.categoryOf(stream) === File.aggregate.category)

const inBase = (filename: string, after: number) =>
  Effect.try({
    try: () => {
      const db = Database.open({ filename, readOnly: true, synchronous: "NORMAL" })
      try {
        const marks = types.map(() => "?").join(", ")
        return db
          .prepare(`SELECT * FROM events WHERE position > ? AND type IN (${marks}) ORDER BY position`)
          .all(after, ...types)
          .map(Truncation.toEvent)
          .filter(isErasing)
      } finally {
        db.close()
      }
    },
    catch: (cause) => new LogUnavailable({ reason: "The newest base cannot be read", cause })
  })

/** In segments of archived events, which are not in the base. */
const inArchive = Effect.fnUntraced(function* (
  pieces: BlobStore["Service"],
  { archive = [] }: Generation,
  after: number
) {
  const found: Array<RecordedEvent> = []
  for (const piece of archive) {
    const bytes = yield* Pieces.read(pieces, piece)
    const index = Segment.indexOf(bytes)
    if (index === null) return yield* Pieces.mismatch(piece)
    for (const frame of index.frames) {
      const { length, offset } = frame
      const events = yield* Effect.try({
        try: () => Segment.decode(bytes.subarray(offset, offset + length), frame),
        catch: () => Pieces.mismatch(piece)
      })
      found.push(...events.filter((event) => Number(event.position) > after && isErasing(event)))
    }
  }
  return found
})

/**
 * Those that only the newest generation has: it begins after the restored one ended.
 *
 * @param after the restored log's end.
 * @param scratch must not exist; removed afterwards.
 */
export const inNewest = Effect.fn("LaterErasures.inNewest")(function* (
  pieces: BlobStore["Service"],
  manifest: Manifest,
  {
    after,
    generation,
    scratch
  }: { readonly generation: Generation; readonly after: number; readonly scratch: string }
) {
  const last = newest(manifest)
  if (last === generation) return []
  const found: Array<RecordedEvent> = []
  if (last.base !== null) {
    yield* SqliteFiles.unpack(pieces, last.base, scratch)
    found.push(...(yield* inArchive(pieces, last, after)), ...(yield* inBase(scratch, after)))
    yield* Effect.sync(() => fs.rmSync(scratch, { force: true }))
  }
  for (const segment of last.segments) {
    const events = yield* SegmentLines.parse(segment, yield* Pieces.readText(pieces, segment))
    for (const { event } of events) if (isErasing(event)) found.push(event)
  }
  return found.sort((a, b) => GlobalPosition.order(a.position, b.position))
})
