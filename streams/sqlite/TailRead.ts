/**
 * Reads from the end of the log, and at a place in it, without what stands before. Positions of this backend are the
 * numbers 1, 2, 3 and so on (`SqliteReading`), so that a page can be found from its end.
 */
import { Effect, Option, Stream } from "effect"
import { EventReader, type EventStoreError } from "../EventReader.ts"
import type { GlobalPosition } from "../GlobalPosition.ts"
import type { RecordedEvent } from "../RecordedEvent.ts"
import * as SqliteReading from "./SqliteReading.ts"

/** Events looked at in one step towards the beginning. */
const step = 512

/**
 * The last `limit` events up to `end` that match, oldest first. Goes back until it has them: an event that is rare, or
 * that is not there, costs a read of the whole log.
 */
export const last = Effect.fn("TailRead.last")(function* (options: {
  readonly end: GlobalPosition
  readonly limit: number
  readonly matches: (event: RecordedEvent) => boolean
}): Effect.fn.Return<ReadonlyArray<RecordedEvent>, EventStoreError, EventReader> {
  const reader = yield* EventReader
  const pages: Array<ReadonlyArray<RecordedEvent>> = []
  let before = Number(options.end)
  let missing = options.limit
  while (missing > 0 && before > 0) {
    const after = Math.max(0, before - step)
    const page = yield* reader
      .readAll(SqliteReading.position(after))
      .pipe(Stream.take(before - after), Stream.runCollect)
    const found = page.filter(options.matches).slice(-missing)
    pages.unshift(found)
    missing -= found.length
    before = after
  }
  return pages.flat()
})

/** The event that stands at `position`. */
export const at = Effect.fn("TailRead.at")(function* (
  position: GlobalPosition
): Effect.fn.Return<Option.Option<RecordedEvent>, EventStoreError, EventReader> {
  const reader = yield* EventReader
  const next = yield* Stream.runHead(reader.readAll(SqliteReading.position(Number(position) - 1)))
  return Option.filter(next, (event) => event.position === position)
})
