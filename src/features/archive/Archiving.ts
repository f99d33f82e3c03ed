/**
 * Archives a SQLite log: ended streams' events go to segments, and leave the database when the segment is durable, was read back,
 * and its digest is on the log. Each step can be repeated: a run first finishes what an earlier one began.
 */
import { Clock, Effect, identity } from "effect"
import * as Archivable from "#domain/archive/Archivable.ts"
import * as Archive from "#domain/archive/Archive.ts"
import * as Actors from "#streams/Actors.ts"
import * as Segment from "#streams/archive/Segment.ts"
import * as SegmentWriting from "#streams/archive/SegmentWriting.ts"
import { type SegmentPlace, SegmentSource, unreadable } from "#streams/archive/SegmentSource.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import { EventReader, EventStoreError } from "#streams/EventReader.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import { ArchiveWriter } from "#streams/sqlite/archive/ArchiveWriter.ts"
import * as StreamName from "#streams/StreamName.ts"

export interface Options {
  /** Streams whose last event is not newer are archived, Unix time in ms. */
  readonly before: number
  /** Events at the end of the log that stay, whatever their age. By default `newestKept`. */
  readonly kept?: number
  /** The folder of the `BlobStore`, as a URL. */
  readonly location: string
  /** Events up to this position are not looked at. */
  readonly after?: number
  /** Characters of lines at which a segment ends, and a frame. */
  readonly segmentText?: number
  readonly frameText?: number
  /** Events that are looked at in one step. */
  readonly pageSize?: number
  /** Ends after so many segments. */
  readonly maxSegments?: number
  /** Runs each step: a page of the log, or the moving of a frame. */
  readonly step?: <A, E, R>(step: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export interface Archived {
  readonly segments: number
  readonly events: number
  readonly bytes: number
  /** Where the next call goes on; `null` when there is no more to archive. */
  readonly next: number | null
}

/** A start reads the newest events: it must not depend on a segment. */
export const newestKept = 1_024

const defaultSegmentText = 64 * 1_024 * 1_024

/** Streams that are read at once. */
const streamsAtOnce = 256

const anotherRun = new EventStoreError({ reason: "Another archiving of this log came first" })

const digestDiffers = (key: string) => unreadable(key, "its content does not match its digest")

/** A stream with events that this release does not know stays. */
const isArchivable = (
  stream: StreamName.StreamName,
  events: ReadonlyArray<RecordedEvent>,
  now: number
): boolean => {
  try {
    return Archivable.rules.get(StreamName.categoryOf(stream))?.(events, now) === true
  } catch {
    return false
  }
}

const make = Effect.fnUntraced(function* (step: NonNullable<Options["step"]>) {
  const writer = yield* ArchiveWriter
  const reader = yield* EventReader
  const source = yield* SegmentSource
  const actors = yield* Actors.make(Archive.aggregate)

  /** The file of a segment, if it is the one whose digest is on the log. */
  const readSegment = Effect.fnUntraced(function* (segment: Archive.Segment, place: SegmentPlace = segment) {
    const bytes = yield* source.read(place)
    const index = Segment.digestOf(bytes) === segment.digest ? Segment.indexOf(bytes) : null
    return index === null ? yield* digestDiffers(segment.key) : { bytes, index }
  })

  /** Moves the segment's events out of the database. */
  const apply = Effect.fnUntraced(function* (segment: Archive.Segment, place?: SegmentPlace) {
    const { bytes, index } = yield* readSegment(segment, place)
    const { digest, key, location } = segment
    const done = new Set(
      writer
        .tables()
        .ofSegment(digest)
        .map(({ offset }) => offset)
    )
    for (const frame of index.frames) {
      if (done.has(frame.offset)) continue
      const events = yield* Effect.try({
        try: () => Segment.decode(bytes.subarray(frame.offset, frame.offset + frame.length), frame),
        catch: () => digestDiffers(key)
      })
      const rows = events.map(({ hash, ordinal, position, stream }) => ({
        position: Number(position),
        stream,
        ordinal,
        hash
      }))
      const segment = { digest, key, location, frames: index.frames.length }
      yield* step(writer.archive({ segment, frame, rows }))
    }
  })

  /** Finishes segments that are on the log, but not yet out of the database. */
  const finish = Effect.gen(function* () {
    const { state } = yield* actors.current(Archive.id)
    const stored = new Map(
      writer
        .tables()
        .segments()
        .map((segment) => [segment.digest, segment])
    )
    for (const segment of state.segments) {
      const found = stored.get(segment.digest)
      if (found === undefined || found.applied < found.frames) yield* apply(segment, found)
    }
  })

  const store = Effect.fnUntraced(function* (
    writing: SegmentWriting.SegmentWriting,
    { before, location }: Options
  ) {
    const { state } = yield* actors.current(Archive.id)
    const built = writing.build(Archive.lastDigest(state))
    if (built === null) return null
    const { bytes, digest, index, key } = built
    yield* (yield* BlobStore).put(key, bytes)
    const { events, first, last, previous } = index
    const at = yield* Clock.currentTimeMillis
    const size = bytes.length
    const segment = { at, before, key, location, digest, previous, first, last, events, bytes: size }
    yield* readSegment(segment)
    yield* actors
      .execute(Archive.id, { _tag: "Archive", segment })
      .pipe(Effect.catchTag("NotNextSegment", () => Effect.fail(anotherRun)))
    yield* apply(segment)
    return segment
  })

  /** The streams of the page that may be archived. */
  const archivable = Effect.fnUntraced(function* (
    page: ReadonlyArray<RecordedEvent>,
    { before, end }: { readonly before: number; readonly end: number }
  ) {
    const isOld = ({ position, time }: RecordedEvent) => time <= before && Number(position) <= end
    const now = yield* Clock.currentTimeMillis
    const found = new Set<string>()
    const names = new Set(page.map(({ stream }) => stream))
    const candidates = [...names].filter((name) => Archivable.rules.has(StreamName.categoryOf(name)))
    for (let start = 0; start < candidates.length; start += streamsAtOnce) {
      const some = candidates.slice(start, start + streamsAtOnce)
      const events = yield* reader.many?.read(some) ?? Effect.succeed([])
      for (const [stream, ofStream] of Map.groupBy(events, ({ stream }) => stream)) {
        if (ofStream.every(isOld) && isArchivable(stream, ofStream, now)) found.add(stream)
      }
    }
    return found
  })

  return { archivable, finish, head: reader.head, rows: writer.rows, store }
})

export const run = Effect.fn("Archiving.run")(function* (options: Options) {
  const { before, kept = newestKept, maxSegments = Infinity, pageSize = ArchiveWriter.pageSize } = options
  const { segmentText = defaultSegmentText, step = identity } = options
  const { archivable, finish, head, rows, store } = yield* make(step)
  yield* finish
  const end = Number(yield* head) - kept
  let archived = { segments: 0, events: 0, bytes: 0 }
  const frameText = Math.min(options.frameText ?? Segment.frameText, Math.ceil(segmentText / 4))
  let writing = SegmentWriting.make({ frameText })

  const close = Effect.gen(function* () {
    const segment = yield* store(writing, options)
    writing = SegmentWriting.make({ frameText })
    if (segment === null) return
    const { bytes, events, segments } = archived
    archived = { segments: segments + 1, events: events + segment.events, bytes: bytes + segment.bytes }
  })

  /** Returns the position of the last event of the page, and `null` at the end. */
  const pass = Effect.fnUntraced(function* (after: number) {
    const page = yield* rows(after, pageSize)
    const last = page.at(-1)
    if (last === undefined || page.every(({ time }) => time > before)) return null
    const names = yield* archivable(page, { before, end })
    for (const event of page) {
      if (names.has(event.stream)) writing.add(event)
      // The next call would not know of the rest of the page.
      if (maxSegments === Infinity && writing.size() >= segmentText) yield* close
    }
    return Number(last.position)
  })

  let next: number | null = options.after ?? 0
  while (next !== null && archived.segments < maxSegments) {
    next = next < end ? yield* step(pass(next)) : null
    if (next === null || writing.size() >= segmentText) yield* close
  }
  return { ...archived, next } satisfies Archived
})
