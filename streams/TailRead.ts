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

interface Wanted {
  readonly end: GlobalPosition.GlobalPosition
  readonly limit: number
  readonly matches: (event: RecordedEvent) => boolean
}

/** Visits the last `limit` matching events up to `end` in pages, the newest page first. */
const pagesBack = Effect.fnUntraced(function* (
  { end, limit, matches }: Wanted,
  visit: (page: ReadonlyArray<RecordedEvent>) => void
): Effect.fn.Return<void, EventStoreError, EventReader> {
  const reader = yield* EventReader
  let before = end
  let missing = limit
  while (missing > 0 && !GlobalPosition.isReached(before, GlobalPosition.beginning)) {
    const after = reader.stepBack(before, step)
    const page = (yield* between(after, before)).filter(matches).slice(-missing)
    visit(page)
    missing -= page.length
    before = after
  }
})

/**
 * The last `limit` matching events up to `end`, oldest first. Goes back until it has found them: a rare or missing event
 * costs a read of the whole log.
 */
export const last = Effect.fn("TailRead.last")(function* (
  wanted: Wanted
): Effect.fn.Return<ReadonlyArray<RecordedEvent>, EventStoreError, EventReader> {
  const pages: Array<ReadonlyArray<RecordedEvent>> = []
  yield* pagesBack(wanted, (page) => pages.unshift(page))
  return pages.flat()
})

/** The position of the first event of `last`. Goes back as `last` does, but keeps no events. */
export const start = Effect.fn("TailRead.start")(function* (
  wanted: Wanted
): Effect.fn.Return<Option.Option<GlobalPosition.GlobalPosition>, EventStoreError, EventReader> {
  let first: GlobalPosition.GlobalPosition | undefined
  yield* pagesBack(wanted, ([oldest]) => {
    first = oldest?.position ?? first
  })
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
