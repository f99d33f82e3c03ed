/** Reads from the end of the log, or at a position, without reading what is before. */
import { Effect, Option, Stream } from "effect"
import { EventReader, type EventStoreError } from "./EventReader.ts"
import * as GlobalPosition from "./GlobalPosition.ts"
import type { RecordedEvent } from "./RecordedEvent.ts"

/** The approximate number of events per step towards the beginning. */
const step = 512

/** The events after `after`, up to `end`. */
const between = Effect.fnUntraced(function* (
  after: GlobalPosition.GlobalPosition,
  end: GlobalPosition.GlobalPosition
) {
  const reader = yield* EventReader
  return yield* reader.readAll(after).pipe(
    Stream.takeWhile(({ position }) => GlobalPosition.isReached(position, end)),
    Stream.runCollect
  )
})

/**
 * The last `limit` matching events up to `end`, oldest first. Goes back until it has found them: a rare or missing event
 * costs a read of the whole log.
 */
export const last = Effect.fn("TailRead.last")(function* (options: {
  readonly end: GlobalPosition.GlobalPosition
  readonly limit: number
  readonly matches: (event: RecordedEvent) => boolean
}): Effect.fn.Return<ReadonlyArray<RecordedEvent>, EventStoreError, EventReader> {
  const reader = yield* EventReader
  const pages: Array<ReadonlyArray<RecordedEvent>> = []
  let before = options.end
  let missing = options.limit
  while (missing > 0 && !GlobalPosition.isReached(before, GlobalPosition.beginning)) {
    const after = reader.stepBack(before, step)
    const found = (yield* between(after, before)).filter(options.matches).slice(-missing)
    pages.unshift(found)
    missing -= found.length
    before = after
  }
  return pages.flat()
})

/**
 * The position of the first of the last `limit` matching events up to `end`; none without a match. Goes back as `last` does,
 * but keeps no events.
 */
export const start = Effect.fn("TailRead.start")(function* (options: {
  readonly end: GlobalPosition.GlobalPosition
  readonly limit: number
  readonly matches: (event: RecordedEvent) => boolean
}): Effect.fn.Return<Option.Option<GlobalPosition.GlobalPosition>, EventStoreError, EventReader> {
  const reader = yield* EventReader
  let first: GlobalPosition.GlobalPosition | undefined
  let before = options.end
  let missing = options.limit
  while (missing > 0 && !GlobalPosition.isReached(before, GlobalPosition.beginning)) {
    const after = reader.stepBack(before, step)
    const found = (yield* between(after, before)).filter(options.matches).slice(-missing)
    first = found[0]?.position ?? first
    missing -= found.length
    before = after
  }
  return Option.fromUndefinedOr(first)
})

/** The event at `position`. */
export const at = Effect.fn("TailRead.at")(function* (
  position: GlobalPosition.GlobalPosition
): Effect.fn.Return<Option.Option<RecordedEvent>, EventStoreError, EventReader> {
  const reader = yield* EventReader
  const events = yield* between(reader.stepBack(position, 1), position)
  return Option.fromUndefinedOr(events.find((event) => event.position === position))
})
