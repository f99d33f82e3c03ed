import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { StopSignal } from "#src/features/dispatch/StopSignal.ts"
import * as Deadlines from "#src/kernel/time/Deadlines.ts"

const waitFor = <A>(effect: Effect.Effect<A>) => Effect.forkChild(effect, { startImmediately: true })

describe("StopSignal", () => {
  it.effect("completes all that wait for it, and what waits later", () =>
    Effect.gen(function* () {
      const deadlines = yield* Deadlines.make
      const stop = new StopSignal()
      const waiting = [
        yield* waitFor(Effect.as(stop.sent, true)),
        yield* waitFor(stop.isSentWithin(deadlines, 100))
      ]
      yield* TestClock.adjust(99)
      stop.send()
      assert.deepStrictEqual(yield* Fiber.joinAll(waiting), [true, true])
      yield* stop.sent
      assert.isTrue(yield* stop.isSentWithin(deadlines, 100))
    })
  )

  it.effect("is not sent within a time that has passed, and can be awaited again", () =>
    Effect.gen(function* () {
      const deadlines = yield* Deadlines.make
      const stop = new StopSignal()
      const first = yield* waitFor(stop.isSentWithin(deadlines, 100))
      yield* TestClock.adjust(100)
      assert.isFalse(yield* Fiber.join(first))
      const second = yield* waitFor(stop.isSentWithin(deadlines, 100))
      stop.send()
      assert.isTrue(yield* Fiber.join(second))
    })
  )

  it.effect("is not sent within no time", () =>
    Effect.gen(function* () {
      const stop = new StopSignal()
      assert.isFalse(yield* stop.isSentWithin(yield* Deadlines.make, 0))
    })
  )

  it.effect("completes the others once one that waited is interrupted", () =>
    Effect.gen(function* () {
      const deadlines = yield* Deadlines.make
      const stop = new StopSignal()
      const interrupted = yield* waitFor(stop.isSentWithin(deadlines, 100))
      const other = yield* waitFor(stop.sent)
      yield* Fiber.interrupt(interrupted)
      yield* TestClock.adjust(200)
      stop.send()
      yield* Fiber.join(other)
    })
  )
})
