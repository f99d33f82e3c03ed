/** Compares the events that the target already has with the source: they must be the source's first events. */
import { Effect, Pull, Schema, type Scope, Stream } from "effect"
import type { EventStoreError, Reading } from "../EventReader.ts"
import * as GlobalPosition from "../GlobalPosition.ts"
import type { RecordedEvent } from "../RecordedEvent.ts"

/** The target has other events. Nothing was written. */
export class NotACopy extends Schema.TaggedError<NotACopy>()("NotACopy", {
  position: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `The target is not a copy of this log: at its position ${this.position} ${this.reason}. Nothing was written`
  }
}

export interface TargetPrefix {
  /** How many of the source's next events the target has: all of them, or those up to its end. */
  readonly countStored: (
    events: ReadonlyArray<RecordedEvent>
  ) => Effect.Effect<number, NotACopy | EventStoreError>
  /** Must be called at the end of the source. Fails if the target continues. */
  readonly atEnd: Effect.Effect<void, NotACopy | EventStoreError>
}

export const open = Effect.fnUntraced(function* (
  target: Reading
): Effect.fn.Return<TargetPrefix, never, Scope.Scope> {
  const pull = yield* Stream.toPull(target.readAll(GlobalPosition.beginning))
  let page: ReadonlyArray<RecordedEvent> = []
  let at = 0
  let isOver = false

  /** Reads the next page. An empty page is the end. */
  const refill = Effect.gen(function* () {
    page = yield* Pull.catchDone(pull, () => Effect.succeed([]))
    at = 0
    isOver = page.length === 0
  })

  return {
    countStored: Effect.fnUntraced(function* (events) {
      for (const [index, event] of events.entries()) {
        if (at === page.length && !isOver) yield* refill
        const found = page[at]
        if (found === undefined) return index
        if (found.hash !== event.hash) {
          const reason = `it has ${found.id}, but the source has ${event.id} (position ${event.position})`
          return yield* new NotACopy({ position: found.position, reason })
        }
        at++
      }
      return events.length
    }),
    atEnd: Effect.gen(function* () {
      if (at === page.length && !isOver) yield* refill
      const found = page[at]
      if (found === undefined) return
      return yield* new NotACopy({
        position: found.position,
        reason: "it continues, but the source has ended"
      })
    })
  }
})
