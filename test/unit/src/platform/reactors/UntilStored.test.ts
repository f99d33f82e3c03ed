import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import { untilStored } from "#src/platform/reactors/UntilStored.ts"
import { EventStoreError } from "#streams/EventReader.ts"

it.effect("a rejected append is retried each second and logged once a minute", () => {
  let lines = 0
  let tries = 0
  let isAway = true
  const append = Effect.suspend(() => {
    tries++
    return isAway ? Effect.fail(new EventStoreError({ reason: "no route to it" })) : Effect.succeed("stored")
  })
  const counting = Logger.layer([Logger.make(() => void lines++)])
  return Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(untilStored("It is not stored yet", append))
    yield* TestClock.adjust("59 seconds")
    assert.deepStrictEqual([tries, lines], [60, 1])
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual([tries, lines], [61, 2])
    isAway = false
    yield* TestClock.adjust("1 second")
    assert.strictEqual(yield* Fiber.join(fiber), "stored")
  }).pipe(Effect.provide(counting))
})
