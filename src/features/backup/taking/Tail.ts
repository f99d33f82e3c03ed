/** Reads the events after a moment into segments, with their payload records and blobs, and writes them. */
import { Effect, Stream } from "effect"
import * as CopiedPayloads from "#streams/copy/CopiedPayloads.ts"
import type { CopiedEvent } from "#streams/copy/LogTarget.ts"
import * as SourceCheck from "#streams/copy/SourceCheck.ts"
import type { BlobStore } from "#streams/BlobStore.ts"
import { EventReader, type Reading } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as PayloadRefs from "#streams/PayloadRefs.ts"
import * as Tombstone from "#streams/Tombstone.ts"
import { type Anchor, LogBroken } from "#streams/Verify.ts"
import type { Entry } from "../format/Inventories.ts"
import type { Moment, Segment } from "../format/Manifest.ts"
import * as Pieces from "../format/Pieces.ts"
import * as SegmentLines from "../format/SegmentLines.ts"
import * as NamedBlobs from "../NamedBlobs.ts"
import * as CopiedBlobs from "./CopiedBlobs.ts"

/** Characters of a segment before it is compressed, approximately. */
const segmentSize = 16 * 1024 * 1024

/** Events whose payloads are read at a time. */
const batchSize = 512

export interface TailOptions {
  readonly source: Reading
  readonly blobs: BlobStore["Service"]
  readonly pieces: BlobStore["Service"]
  readonly after: Moment
  /** Of the source. */
  readonly anchors: ReadonlyArray<Anchor>
  /** Unique at the target. */
  readonly id: string
}

interface Tail {
  readonly segments: ReadonlyArray<Segment>
  readonly entries: ReadonlyArray<Entry>
  /** Blobs that the log names and the blob store does not have. */
  readonly missing: number
  readonly end: Moment
}

/** The last position that must be in the tail so that every payload that is not in it has its tombstone. */
const laterTombstone = Effect.fnUntraced(function* (source: Reading, { event, payloads }: CopiedEvent) {
  let until = GlobalPosition.beginning
  for (const [name] of PayloadRefs.of(event)) {
    if (payloads.some((payload) => payload.name === name)) continue
    const found = (yield* source.read(event.stream)).find(
      (later) => later.ordinal > event.ordinal && Tombstone.erasedBy(later).includes(name)
    )
    if (found === undefined) {
      const reason = `the payload ${name} is missing and was not erased`
      return yield* new LogBroken({ position: event.position, reason })
    }
    if (GlobalPosition.order(found.position, until) > 0) until = found.position
  }
  return until
})

/** Reads to the end of the log, checks the chain of each event, and writes what it reads. */
export const write = Effect.fn("Tail.write")(function* (options: TailOptions) {
  const { after, anchors, blobs, id, pieces, source } = options
  const check = yield* Effect.provideService(SourceCheck.make(anchors, after), EventReader, source)
  const segments: Array<Segment> = []
  const entries: Array<Entry> = []
  let missing = 0
  let needed = GlobalPosition.beginning
  let lines: Array<string> = []
  let characters = 0
  let begin = after
  let end = after

  const flush = Effect.gen(function* () {
    if (lines.length === 0) return
    const key = `segments/${begin.position}-${end.position}-${id}`
    const piece = yield* Pieces.putText(pieces, key, lines.join(""))
    segments.push({ ...piece, after: begin.position, end, events: lines.length })
    begin = end
    lines = []
    characters = 0
  })

  const copyBlobs = Effect.fnUntraced(function* (copied: CopiedEvent) {
    for (const blob of yield* NamedBlobs.of(blobs, copied)) {
      const entry = yield* CopiedBlobs.copy({ from: blobs, to: pieces }, copied.event.stream, blob)
      if (entry === null) missing++
      else entries.push(entry)
    }
  })

  const pass = Effect.fnUntraced(function* (copied: CopiedEvent) {
    const { event } = copied
    yield* check.pass([event])
    const until = yield* laterTombstone(source, copied)
    if (GlobalPosition.order(until, needed) > 0) needed = until
    yield* copyBlobs(copied)
    const line = SegmentLines.render(copied)
    lines.push(line)
    characters += line.length
    end = { ...check.reached(), hash: event.hash, time: event.time }
    if (characters >= segmentSize) yield* flush
  })

  const readOn = Effect.suspend(() =>
    source.readAll(end.position).pipe(
      Stream.rechunk(batchSize),
      Stream.runForEachArray((events) =>
        Effect.flatMap(CopiedPayloads.read(source, events), Effect.forEach(pass, { discard: true }))
      )
    )
  )
  yield* Effect.repeat(readOn, { until: () => GlobalPosition.isReached(needed, end.position) })
  yield* check.atEnd
  yield* flush
  return { segments, entries, missing, end } satisfies Tail
})
