/**
 * The archive's part of a verification: each segment has the digest that is on the log and names the one before, its frames are
 * those that the database knows, and the database knows the archived end of each stream. The chain of the events in segments is
 * verified like that of all others.
 */
import type { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import type * as Archive from "#domain/archive/Archive.ts"
import * as LoggedSegments from "../../archive/LoggedSegments.ts"
import * as Segment from "../../archive/Segment.ts"
import { SegmentSource } from "../../archive/SegmentSource.ts"
import * as GlobalPosition from "../../GlobalPosition.ts"
import { LogBroken } from "../../Verify.ts"
import * as Tables from "./Tables.ts"

/** @param after Segments that an event up to there names are not read. */
export const verify = Effect.fn("ArchiveVerify.verify")(function* (
  db: DatabaseSync,
  after: GlobalPosition.GlobalPosition = GlobalPosition.beginning
) {
  const source = yield* SegmentSource
  const tables = Tables.make(db)()
  const known = new Set<string>()
  // Segments may have been moved since the event that names their first place.
  const places = new Map(tables.segments().map((segment) => [segment.digest, segment]))
  let previous: string | null = null
  for (const segment of yield* LoggedSegments.read()) {
    if (!GlobalPosition.isReached(segment.position, after)) {
      const bytes = yield* source.read(places.get(segment.digest) ?? segment)
      const wrong = yield* Effect.try({
        try: () => problem(tables, segment, bytes, previous),
        catch: () => broken(segment.position, segment.key, "it cannot be compared with the database")
      })
      if (wrong !== null) return yield* broken(segment.position, segment.key, wrong)
    }
    known.add(segment.digest)
    previous = segment.digest
  }
  const stray = tables.segments().find(({ digest }) => !known.has(digest))
  if (stray !== undefined) return yield* broken("0", stray.key, "no event on the log names it")
})

const broken = (position: GlobalPosition.GlobalPosition | "0", key: string, reason: string) =>
  new LogBroken({ position, reason: `the archived segment ${key}: ${reason}` })

const problem = (
  tables: Tables.Tables,
  { digest, events, previous: before }: Archive.Event,
  bytes: Uint8Array,
  previous: string | null
): string | null => {
  if (Segment.digestOf(bytes) !== digest) return "its content does not match its digest"
  const index = Segment.indexOf(bytes)
  if (index === null || index.events !== events) return "its index is not that of its events"
  if (before !== previous || index.previous !== previous) return "it does not follow on the segment before it"
  // Frames that are missing are not archived yet: their events are still rows.
  const byOffset = new Map(index.frames.map((frame) => [frame.offset, frame]))
  for (const stored of tables.ofSegment(digest)) {
    const frame = byOffset.get(stored.offset)
    if (frame === undefined || !isSame(frame, stored)) return "the database has other frames than its index"
    const wrong = tailProblem(tables, stored, bytes.subarray(frame.offset, frame.offset + frame.length))
    if (wrong !== null) return wrong
  }
  return null
}

const isSame = (a: Segment.Frame, b: Segment.Frame): boolean =>
  a.digest === b.digest &&
  a.length === b.length &&
  a.first === b.first &&
  a.last === b.last &&
  a.events === b.events

/** Whether the database knows that the events of the frame are archived. */
const tailProblem = (tables: Tables.Tables, frame: Tables.StoredFrame, bytes: Uint8Array): string | null => {
  const events = Segment.decode(bytes, frame)
  const names = [...new Set(events.map(({ stream }) => stream))]
  const tails = new Map(tables.streams(names).map((tail) => [tail.stream, tail]))
  for (const { hash, ordinal, position, stream } of events) {
    const tail = tails.get(stream)
    const isKnown =
      tail !== undefined &&
      tail.frames.includes(frame.id) &&
      (tail.ordinal > ordinal || (tail.ordinal === ordinal && tail.hash === hash))
    if (!isKnown) return `the database does not know that the event at position ${position} is archived`
  }
  return null
}
