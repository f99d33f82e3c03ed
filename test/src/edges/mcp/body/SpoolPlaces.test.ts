import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as SpoolPlaces from "#src/edges/mcp/body/SpoolPlaces.ts"

const make = () => SpoolPlaces.make({ all: 8, each: 2, patience: "30 seconds" })

/** Whoever has come, and may be inside. */
const come = (places: SpoolPlaces.SpoolPlaces, account: string) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const entering = yield* Effect.forkChild(
      Scope.provide(places.enter(account, Effect.fail("late")), scope),
      {
        startImmediately: true
      }
    )
    return {
      entering,
      isInside: () => entering.pollUnsafe() !== undefined,
      go: Scope.close(scope, Exit.void)
    }
  })

describe("SpoolPlaces", () => {
  it.effect(
    "has a second place for an account while half of them are free, and a first one to the last",
    () =>
      Effect.gen(function* () {
        const places = make()
        const isInside = (account: string) => Effect.map(come(places, account), ({ isInside }) => isInside())
        for (const account of ["a", "a", "b", "b"]) assert.isTrue(yield* isInside(account), account)
        for (const account of ["a", "b"]) assert.isFalse(yield* isInside(account), account)
        assert.isTrue(yield* isInside("c"))
        assert.isFalse(yield* isInside("c"))
        for (const account of ["d", "e"]) assert.isTrue(yield* isInside(account), account)
        const f = yield* come(places, "f")
        assert.isTrue(f.isInside())
        const g = yield* come(places, "g")
        assert.isFalse(g.isInside())
        yield* f.go
        // Before those who have come earlier, and have places.
        yield* Fiber.join(g.entering)
      })
  )

  it.effect("lets nobody wait for longer than they are patient, and keeps no place for who has left", () =>
    Effect.gen(function* () {
      const places = make()
      const [first] = [yield* come(places, "a"), yield* come(places, "a")]
      const late = yield* come(places, "a")
      const left = yield* come(places, "a")
      yield* Fiber.interrupt(left.entering)
      yield* left.go
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(yield* Effect.flip(Fiber.join(late.entering)), "late")
      const next = yield* come(places, "a")
      assert.isFalse(next.isInside())
      yield* first.go
      yield* Fiber.join(next.entering)
    })
  )
})
