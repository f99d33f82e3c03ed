/**
 * Moves the segments of a log's archive. Copies each to the new place, unless it is there already, and reads it back. Then records the
 * new place of all in one transaction. The files at the old place stay. Holds the lock of the data directory.
 */
import { Effect, Schema, Stream } from "effect"
import * as LoggedSegments from "#streams/archive/LoggedSegments.ts"
import * as Segment from "#streams/archive/Segment.ts"
import { type SegmentPlace, SegmentSource, unreadable } from "#streams/archive/SegmentSource.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import * as DataLock from "#streams/DataLock.ts"
import * as Database from "#streams/sqlite/Database.ts"
import * as LogEnd from "#streams/sqlite/LogEnd.ts"
import * as Places from "#streams/sqlite/archive/Places.ts"
import * as LogFiles from "#streams/sqlite/LogFiles.ts"

/** A segment is not at the new place, and cannot be read at the old one. */
export class SegmentMissing extends Schema.TaggedError<SegmentMissing>()("SegmentMissing", {
  /** Names the segment, and why it cannot be read at the old place. */
  reason: Schema.String
}) {
  override get message(): string {
    return `${this.reason}, and the target does not have it. The log was not changed`
  }
}

interface Options {
  readonly directory: string
  /** Of the `BlobStore`. */
  readonly location: string
}

/** The bytes at a blob store, if they are the segment. */
const found = Effect.fnUntraced(function* (
  blobs: BlobStore["Service"],
  { digest, key }: { readonly digest: string; readonly key: string }
) {
  const blob = yield* blobs.get(key)
  if (blob === null) return null
  const bytes = Buffer.from(yield* Stream.mkUint8Array(blob.body))
  return Segment.digestOf(bytes) === digest ? bytes : null
})

/** Writes a segment and reads it back. Returns it as the log's database names it. */
const put = Effect.fnUntraced(function* (
  blobs: BlobStore["Service"],
  { digest, key }: { readonly digest: string; readonly key: string },
  bytes: Uint8Array
) {
  const index = Segment.digestOf(bytes) === digest ? Segment.indexOf(bytes) : null
  if (index === null) return yield* unreadable(key, "its content does not match its digest")
  yield* blobs.put(key, bytes)
  if ((yield* found(blobs, { digest, key })) === null)
    return yield* unreadable(key, "it was not written as it was sent")
  return { digest, key, frames: index.frames.length } satisfies Places.Placed
})

const placed = (segment: { readonly digest: string; readonly key: string }, bytes: Uint8Array) => ({
  digest: segment.digest,
  key: segment.key,
  frames: Segment.indexOf(bytes)?.frames.length ?? 0
})

export const run = Effect.fn("Moving.run")(function* ({ directory, location }: Options) {
  yield* DataLock.acquire(directory)
  const { log } = LogFiles.files(directory)
  const to = yield* BlobStore
  const source = yield* SegmentSource
  const places = yield* Places.read(log)
  const segments: Array<Places.Placed> = []
  let copied = 0
  for (const segment of yield* LoggedSegments.read()) {
    const there = yield* found(to, segment)
    if (there === null) {
      const place: SegmentPlace = places.get(segment.digest) ?? segment
      const bytes = yield* Effect.mapError(source.read(place), ({ reason }) => new SegmentMissing({ reason }))
      segments.push(yield* put(to, segment, bytes))
      copied++
    } else segments.push(placed(segment, there))
  }
  yield* LogEnd.readable(() => {
    const db = Database.open({ filename: log, synchronous: "FULL" })
    try {
      Places.write(db, segments, location)
    } finally {
      db.close()
    }
  })
  return { segments: segments.length, copied }
}, Effect.scoped)
