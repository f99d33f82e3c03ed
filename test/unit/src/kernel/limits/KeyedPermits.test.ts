import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as KeyedPermits from "#src/kernel/limits/KeyedPermits.ts"

const late = Effect.fail("late" as const)

/** Fibers that use a permit until `finish`. `started` lists the keys in the order of their permits. */
const users = Effect.gen(function* () {
  const permits = KeyedPermits.make({ total: 3, perKey: 2, patience: "30 seconds" })
  const started: Array<string> = []
  const finished = yield* Deferred.make<void>()
  const use = (key: string, name = key) =>
    permits
      .withPermit(
        key,
        Effect.suspend(() => {
          started.push(name)
          return Deferred.await(finished)
        }),
        late
      )
      .pipe(Effect.result, Effect.forkChild({ startImmediately: true }))
  return { started, use, finish: Deferred.succeed(finished, undefined) }
})

describe("withPermit", () => {
  it.effect("limits one key and leaves permits to others", () =>
    Effect.gen(function* () {
      const { started, use } = yield* users
      for (const key of ["a", "a", "a", "b", "c"]) yield* use(key)
      assert.deepStrictEqual(started, ["a", "a", "b"])
    })
  )

  it.effect("starts waiting effects when permits are returned", () =>
    Effect.gen(function* () {
      const { finish, started, use } = yield* users
      const fibers = yield* Effect.forEach(["a", "a", "a", "b", "c"], (key) => use(key))
      yield* TestClock.adjust("29 seconds")
      yield* finish
      yield* Fiber.joinAll(fibers)
      assert.sameMembers(started, ["a", "a", "a", "b", "c"])
    })
  )

  it.effect("gives up after the timeout, but never interrupts a running effect", () =>
    Effect.gen(function* () {
      const { finish, started, use } = yield* users
      const running = yield* use("a")
      yield* use("a")
      const waiting = yield* use("a")
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual((yield* Fiber.join(waiting))._tag, "Failure")
      assert.deepStrictEqual(started, ["a", "a"])
      yield* TestClock.adjust("1 hour")
      yield* finish
      assert.strictEqual((yield* Fiber.join(running))._tag, "Success")
    })
  )

  it.effect("frees the permit of an interrupted effect, also of a waiting one", () =>
    Effect.gen(function* () {
      const { started, use } = yield* users
      const first = yield* use("a")
      yield* use("a")
      const waiting = yield* use("a")
      yield* use("a")
      yield* Fiber.interrupt(waiting)
      assert.strictEqual(started.length, 2)
      yield* Fiber.interrupt(first)
      yield* Effect.yieldNow
      assert.strictEqual(started.length, 3)
    })
  )

  it.effect("serves a new key before further effects of a key that has just returned a permit", () =>
    Effect.gen(function* () {
      const { started, use } = yield* users
      const first = yield* use("a", "a1")
      yield* use("a", "a2")
      yield* use("b", "b1")
      yield* use("a", "a3")
      yield* use("c", "c1")
      yield* Fiber.interrupt(first)
      yield* Effect.yieldNow
      assert.deepStrictEqual(started, ["a1", "a2", "b1", "c1"])
    })
  )
})

/** Takes a permit in a scope of its own. */
const taken = (permits: KeyedPermits.KeyedPermits, key: string) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const taking = yield* Effect.forkChild(Scope.provide(permits.take(key, late), scope), {
      startImmediately: true
    })
    return {
      taking,
      isGranted: () => taking.pollUnsafe() !== undefined,
      close: Scope.close(scope, Exit.void)
    }
  })

describe("take", () => {
  const make = () => KeyedPermits.make({ total: 8, perKey: 2, reservesHalf: true, patience: "30 seconds" })

  it.effect(
    "with `reservesHalf` grants a second permit while half are free, and a first one up to the last",
    () =>
      Effect.gen(function* () {
        const permits = make()
        const isGranted = (key: string) => Effect.map(taken(permits, key), ({ isGranted }) => isGranted())
        for (const key of ["a", "a", "b", "b"]) assert.isTrue(yield* isGranted(key), key)
        for (const key of ["a", "b"]) assert.isFalse(yield* isGranted(key), key)
        assert.isTrue(yield* isGranted("c"))
        assert.isFalse(yield* isGranted("c"))
        for (const key of ["d", "e"]) assert.isTrue(yield* isGranted(key), key)
        const f = yield* taken(permits, "f")
        assert.isTrue(f.isGranted())
        const g = yield* taken(permits, "g")
        assert.isFalse(g.isGranted())
        yield* f.close
        // Keys that already have a permit wait although they came first.
        yield* Fiber.join(g.taking)
      })
  )

  it.effect("gives up after the timeout, and frees its permit with a closed scope", () =>
    Effect.gen(function* () {
      const permits = make()
      const [first] = [yield* taken(permits, "a"), yield* taken(permits, "a")]
      const waiting = yield* taken(permits, "a")
      const closed = yield* taken(permits, "a")
      yield* Fiber.interrupt(closed.taking)
      yield* closed.close
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(yield* Effect.flip(Fiber.join(waiting.taking)), "late")
      const next = yield* taken(permits, "a")
      assert.isFalse(next.isGranted())
      yield* first.close
      yield* Fiber.join(next.taking)
    })
  )
})
