/** The segments of archived events in a backup. They never change, so each is copied once, under its name. */
import { Effect } from "effect"
import * as LoggedSegments from "#streams/archive/LoggedSegments.ts"
import * as Segment from "#streams/archive/Segment.ts"
import { type SegmentBytes, SegmentSource, unreadable } from "#streams/archive/SegmentSource.ts"
import type { BlobStore } from "#streams/BlobStore.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as Places from "#streams/sqlite/archive/Places.ts"
import * as LogFiles from "#streams/sqlite/LogFiles.ts"
import type { ArchivedSegment, Manifest } from "../format/Manifest.ts"
import * as Pieces from "../format/Pieces.ts"

interface Options {
  readonly pieces: BlobStore["Service"]
  /** The data directory; `null` for a log on NATS, which has no archive. */
  readonly directory: string | null
  /** Those that the target has, by its manifest. */
  readonly known: ReadonlyArray<ArchivedSegment>
  /** The end of what is backed up. */
  readonly end: GlobalPosition.GlobalPosition
  /** Whether to look for the known ones at the target. */
  readonly looks: boolean
}

const keyOf = (name: string) => `archive/${name}`

export const namedIn = (manifest: Manifest | null): ReadonlyArray<ArchivedSegment> =>
  manifest?.generations.flatMap(({ archive = [] }) => archive) ?? []

/** Reads segments where the log in `directory` has them, for a copy of the log elsewhere. */
export const sourceOf = Effect.fnUntraced(function* (directory: string) {
  const source = yield* SegmentSource
  const places = yield* Places.read(LogFiles.files(directory).log)
  const byKey = new Map([...places.values()].map((place) => [place.key, place]))
  const there: SegmentBytes = {
    read: (place, range) => source.read(byKey.get(place.key) ?? place, range)
  }
  return there
})

/** Copies what the target lacks. Returns all that the log names up to `end`, and those that were copied. */
export const copy = Effect.fn("ArchivedSegments.copy")(function* ({
  directory,
  end,
  known,
  looks,
  pieces
}: Options) {
  const all: Array<ArchivedSegment> = []
  const copied: Array<ArchivedSegment> = []
  if (directory === null) return { all, copied }
  const source = yield* sourceOf(directory)
  const byName = new Map(known.map((segment) => [segment.name, segment]))
  for (const segment of yield* LoggedSegments.read()) {
    if (!GlobalPosition.isReached(segment.position, end)) continue
    const stored = byName.get(segment.key)
    const isThere =
      stored?.sha256 === segment.digest && (!looks || (yield* pieces.size(stored.key)) === stored.size)
    if (stored !== undefined && isThere) all.push(stored)
    else {
      const bytes = yield* source.read(segment)
      if (Segment.digestOf(bytes) !== segment.digest)
        return yield* unreadable(segment.key, "its content does not match its digest")
      const piece = { ...(yield* Pieces.put(pieces, keyOf(segment.key), bytes)), name: segment.key }
      all.push(piece)
      copied.push(piece)
    }
  }
  return { all, copied }
})
