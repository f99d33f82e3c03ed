import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Pace from "#projections/runner/Pace.ts"

const short = { events: 20, tookMs: 2 }

/** Whether the rest after a batch has ended, once its fiber has run as far as it can. */
const begin = Effect.fnUntraced(function* (rest: Effect.Effect<unknown>) {
  const fiber = yield* Effect.forkChild(rest, { startImmediately: true })
  const hasEnded = Effect.as(TestClock.adjust(0), fiber)
  return { fiber, hasEnded: Effect.map(hasEnded, (fiber) => fiber.pollUnsafe() !== undefined) }
})

describe("The rest after a batch of a read model", () => {
  it.effect("is a multiple of the time that the batch took", () =>
    Effect.gen(function* () {
      const { hasEnded } = yield* begin(Pace.make().join()(short))
      yield* TestClock.adjust(19)
      assert.isFalse(yield* hasEnded)
      yield* TestClock.adjust(1)
      assert.isTrue(yield* hasEnded)
    })
  )

  it.effect("has a limit", () =>
    Effect.gen(function* () {
      const { fiber } = yield* begin(Pace.make().join()({ events: 20, tookMs: 1_000 }))
      yield* TestClock.adjust(50)
      yield* Fiber.join(fiber)
    })
  )

  it.effect("is left out while many events follow", () =>
    Effect.gen(function* () {
      const { hasEnded } = yield* begin(Pace.make().join()({ events: 8_192, tookMs: 100 }))
      assert.isTrue(yield* hasEnded)
    })
  )

  it.effect("ends when a reader waits, for every follower", () =>
    Effect.gen(function* () {
      const pace = Pace.make()
      const one = yield* begin(pace.join()(short))
      const other = yield* begin(pace.join()(short))
      pace.hurry()
      assert.isTrue(yield* one.hasEnded)
      assert.isTrue(yield* other.hasEnded)
    })
  )

  it.effect("is left out once if a reader began to wait during the batch", () =>
    Effect.gen(function* () {
      const pace = Pace.make()
      const rest = pace.join()
      pace.hurry()
      assert.isTrue(yield* (yield* begin(rest(short))).hasEnded)
      assert.isFalse(yield* (yield* begin(rest(short))).hasEnded)
    })
  )
})
