/** Time that is never set. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as SettableClock from "#test/support/SettableClock.ts"
import * as TestNode from "#test/support/TestNode.ts"

const day = Duration.toMillis("24 hours")
const hour = Duration.toMillis("1 hour")

const append = (category: string, at: number, ahead?: number) =>
  Effect.flatMap(EventStore, (store) =>
    store.append({
      stream: StreamName.make(category, `${at}`),
      expected: ExpectedVersion.Any,
      events: [
        {
          id: `event-${at}`,
          ...InferenceRequest.aggregate.codec.encode({
            _tag: "CancelRequested",
            at,
            ...(ahead !== undefined && { ahead })
          })
        }
      ]
    })
  )

const steadyNow = Effect.gen(function* () {
  const context = yield* Layer.build(SteadyTime.layerOfLog)
  const steady = yield* Effect.provide(SteadyTime, context)
  const clock = yield* Clock.Clock
  return { steady, now: yield* steady.now, ahead: steady.aheadOf(clock) }
})

const stepped = <A, E, R>(test: (set: (by: number) => void) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(SettableClock.make, ({ clock, set }) =>
    Effect.scoped(test(set)).pipe(
      Effect.provide(TestNode.storeLayer),
      Effect.provideService(Clock.Clock, clock)
    )
  )

describe("SteadyTime", () => {
  it.effect("starts at the wall clock's time, and continues independently of it", () =>
    stepped((set) =>
      Effect.gen(function* () {
        yield* append("InferenceRequest", day - hour)
        const { ahead, now, steady } = yield* steadyNow
        assert.deepStrictEqual({ ahead, now }, { ahead: 0, now: day })
        const clock = yield* Clock.Clock
        set(-hour)
        assert.strictEqual(steady.aheadOf(clock), hour)
        set(3 * hour)
        assert.strictEqual(steady.aheadOf(clock), -2 * hour)
        yield* TestClock.adjust(5)
        assert.strictEqual(yield* steady.now, day + 5)
      })
    )
  )

  it.effect.each([
    {
      title: "a wall clock that was set back since the last event",
      at: day + hour,
      ahead: 0,
      now: day + hour
    },
    {
      title: "a wall clock that was set back before it",
      at: day + 2 * hour,
      ahead: 3 * hour,
      now: day + 3 * hour
    },
    { title: "a wall clock that was set ahead before it", at: day - 3 * hour, ahead: -hour, now: day - hour }
  ])("continues from the newest time on the log, under $title", ({ ahead, at, now }) =>
    stepped(() =>
      Effect.gen(function* () {
        yield* append("InferenceRequest", day - 10 * hour)
        yield* append("InferenceRequest", at, ahead)
        assert.deepInclude(yield* steadyNow, { now, ahead: now - day })
      })
    )
  )

  it.effect("ignores dates of events that use the wall clock", () =>
    stepped(() =>
      Effect.gen(function* () {
        yield* append("Account", day + hour)
        assert.deepInclude(yield* steadyNow, { now: day, ahead: 0 })
      })
    )
  )
})
