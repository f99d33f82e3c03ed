/** Waits, without a limit, until a read model shows every event that is on the log at the call. */
import { Effect, Schedule } from "effect"
import { Projections } from "#projections/Projections.ts"
import { EventReader } from "#streams/EventReader.ts"

export const make = Effect.gen(function* () {
  const projections = yield* Projections
  const reader = yield* EventReader

  return Effect.fnUntraced(function* (projection: string) {
    const head = yield* reader.head
    yield* Effect.repeat(projections.waitFor(head, { projection }), {
      until: (reached) => reached,
      schedule: Schedule.spaced("1 second")
    })
  })
})
