/** Reads from the end of the log, and at a place in it, without what stands before. */
import { Effect, Option, Stream } from "effect"
import { EventReader, type EventStoreError } from "./EventReader.ts"
import * as GlobalPosition from "./GlobalPosition.ts"
import type { RecordedEvent } from "./RecordedEvent.ts"

/** Events looked at in one step towards the beginning, or some more. */
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
 * The last `limit` events up to `end` that match, oldest first. Goes back until it has them: an event that is rare, or
 * that is not there, costs a read of the whole log.
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

/** The event that stands at `position`. */
export const at = Effect.fn("TailRead.at")(function* (
  position: GlobalPosition.GlobalPosition
): Effect.fn.Return<Option.Option<RecordedEvent>, EventStoreError, EventReader> {
  const reader = yield* EventReader
  const events = yield* between(reader.stepBack(position, 1), position)
  return Option.fromUndefinedOr(events.find((event) => event.position === position))
})
