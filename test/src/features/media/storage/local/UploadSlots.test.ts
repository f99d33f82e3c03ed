import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as UploadSlots from "#src/features/media/storage/local/UploadSlots.ts"

const options = { all: 3, each: 2, patience: "30 seconds" } as const

/** Visitors that stay until they are let go. */
const house = Effect.gen(function* () {
  const places = UploadSlots.make(options)
  const inside: Array<string> = []
  const goOn = yield* Deferred.make<void>()
  const visit = (account: string) =>
    places
      .within(
        account,
        Effect.suspend(() => {
          inside.push(account)
          return Deferred.await(goOn)
        }),
        Effect.fail("full" as const)
      )
      .pipe(Effect.result, Effect.forkChild({ startImmediately: true }))
  return { places, inside, visit, letGo: Deferred.succeed(goOn, undefined) }
})

describe("Places", () => {
  it.effect("lets in so many of an account, and others beside them", () =>
    Effect.gen(function* () {
      const { inside, visit } = yield* house
      for (const account of ["a", "a", "a", "b", "c"]) yield* visit(account)
      assert.deepStrictEqual(inside, ["a", "a", "b"])
    })
  )

  it.effect("lets those who wait in when others leave", () =>
    Effect.gen(function* () {
      const { inside, letGo, visit } = yield* house
      const visits = yield* Effect.forEach(["a", "a", "a", "b", "c"], visit)
      yield* TestClock.adjust("29 seconds")
      yield* letGo
      yield* Fiber.joinAll(visits)
      assert.sameMembers(inside, ["a", "a", "a", "b", "c"])
    })
  )

  it.effect("sends away who has waited in vain, and nobody who is in", () =>
    Effect.gen(function* () {
      const { inside, letGo, visit } = yield* house
      const staying = yield* visit("a")
      yield* visit("a")
      const waiting = yield* visit("a")
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual((yield* Fiber.join(waiting))._tag, "Failure")
      assert.deepStrictEqual(inside, ["a", "a"])
      yield* TestClock.adjust("1 hour")
      yield* letGo
      assert.strictEqual((yield* Fiber.join(staying))._tag, "Success")
    })
  )

  it.effect("has a place for one more when a visitor, or one who waits, is interrupted", () =>
    Effect.gen(function* () {
      const { inside, visit } = yield* house
      const first = yield* visit("a")
      yield* visit("a")
      const waiting = yield* visit("a")
      yield* visit("a")
      yield* Fiber.interrupt(waiting)
      assert.strictEqual(inside.length, 2)
      yield* Fiber.interrupt(first)
      yield* Effect.yieldNow
      assert.strictEqual(inside.length, 3)
    })
  )
})
