/** Lets long virtual time pass on a complete node (`TestNode`), from one due row to the next, without a count of yields. */
import { Clock, Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import { DueDeliveries } from "#projections/deliveries/DueDeliveries.ts"
import { DueWork } from "#projections/due-work/DueWork.ts"
import { Projections } from "#projections/Projections.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { earliest } from "#src/kernel/time/Earliest.ts"
import * as Until from "./Until.ts"

const one = { after: null, limit: 1 } as const

/** What is due now, or under way to a receiver. Runs may last, so they do not count. */
const unsettled = Effect.gen(function* () {
  const now = yield* Clock.currentTimeMillis
  const work = yield* DueWork
  const deliveries = yield* DueDeliveries
  const head = yield* (yield* EventReader).head
  const states = yield* (yield* Projections).states
  return {
    behind: [...states].flatMap(([name, { position }]) =>
      GlobalPosition.isReached(head, position) ? [] : [name]
    ),
    models: yield* work.dueModels(now),
    deadlines: yield* work.deadlines({ ...one, now }),
    owed: yield* deliveries.owed(one),
    due: yield* deliveries.next({
      ...one,
      now,
      each: 1,
      without: { accounts: [], receivers: [], lanes: [], deliveries: [] }
    }),
    underWay: yield* deliveries.underWay(one)
  }
})

const rests = Until.until("a node at rest", unsettled, (state) =>
  Object.values(state).every(({ length }) => length === 0)
)

const nextDueAt = Effect.fnUntraced(function* (now: number) {
  const work = yield* DueWork
  const deliveries = yield* DueDeliveries
  const dueAt = earliest(yield* work.nextDueAt(now), yield* deliveries.nextDueAt(now))
  return earliest(dueAt, yield* work.nextDeadlineAt(now))
})

/**
 * Lets time pass on the node. Stops at each due row until the node has handled it, with all that takes real time: a retry
 * is made at the ms at which it is due. Requires room for whatever is due, and receivers that answer.
 */
export const pass = Effect.fnUntraced(function* (duration: Duration.Input) {
  const end = (yield* Clock.currentTimeMillis) + Duration.toMillis(duration)
  yield* rests
  let now = yield* Clock.currentTimeMillis
  while (now < end) {
    const next = Math.min(end, (yield* nextDueAt(now)) ?? end)
    yield* TestClock.adjust(next - now)
    yield* rests
    now = yield* Clock.currentTimeMillis
  }
})

/** Lets time pass by steps until the effect ends, with turns between them for what takes real time. */
export const passDuring = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  step: Duration.Input = "1 second"
): Effect.Effect<A, E, R> => {
  const stepped = Effect.andThen(TestClock.adjust(step), Clock.currentTimeMillis)
  return Effect.raceFirst(
    effect,
    Effect.andThen(
      Until.until("an effect that takes test time (ms)", stepped, () => false),
      Effect.never
    )
  )
}
