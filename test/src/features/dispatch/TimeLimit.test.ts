import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as TimeLimit from "#src/features/dispatch/TimeLimit.ts"
import * as Deadlines from "#src/kernel/time/Deadlines.ts"

/** What happens under a limit of 100 ms, with 50 ms more to react. */
const limited = Effect.fnUntraced(function* (effect: Effect.Effect<string>) {
  const facts: Array<string> = []
  const deadlines = yield* Deadlines.make
  const noted = Effect.onInterrupt(effect, () => Effect.sync(() => facts.push("interrupted")))
  const fiber = yield* Effect.forkChild(
    TimeLimit.apply(noted, deadlines, {
      ms: 100,
      onExpiry: () => facts.push("expired"),
      graceMs: 50,
      orElse: Effect.succeed("late"),
      onPending: Effect.sync(() => facts.push("pending"))
    }),
    { startImmediately: true }
  )
  return { facts, fiber }
})

describe("TimeLimit", () => {
  it.effect("returns what ends at once, and does not call it pending", () =>
    Effect.gen(function* () {
      const { facts, fiber } = yield* limited(Effect.succeed("value"))
      assert.strictEqual(yield* Fiber.join(fiber), "value")
      yield* TestClock.adjust(200)
      assert.deepStrictEqual(facts, [])
    })
  )

  it.effect("returns what ends before the limit", () =>
    Effect.gen(function* () {
      const end = yield* Deferred.make<string>()
      const { facts, fiber } = yield* limited(Deferred.await(end))
      yield* TestClock.adjust(99)
      yield* Deferred.succeed(end, "value")
      assert.strictEqual(yield* Fiber.join(fiber), "value")
      yield* TestClock.adjust(200)
      assert.deepStrictEqual(facts, ["pending"])
    })
  )

  it.effect("replaces the result of what ends after the limit", () =>
    Effect.gen(function* () {
      const end = yield* Deferred.make<string>()
      const { facts, fiber } = yield* limited(Deferred.await(end))
      yield* TestClock.adjust(149)
      yield* Deferred.succeed(end, "value")
      assert.strictEqual(yield* Fiber.join(fiber), "late")
      yield* TestClock.adjust(200)
      assert.deepStrictEqual(facts, ["pending", "expired"])
    })
  )

  it.effect("interrupts what does not end after the limit", () =>
    Effect.gen(function* () {
      const { facts, fiber } = yield* limited(Effect.never)
      yield* TestClock.adjust(149)
      assert.deepStrictEqual(facts, ["pending", "expired"])
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* Fiber.join(fiber), "late")
      assert.deepStrictEqual(facts, ["pending", "expired", "interrupted"])
    })
  )

  it.effect("interrupts the effect with itself, and forgets its limit", () =>
    Effect.gen(function* () {
      const { facts, fiber } = yield* limited(Effect.never)
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust(200)
      assert.deepStrictEqual(facts, ["pending", "interrupted"])
    })
  )
})
