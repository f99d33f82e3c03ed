import { assert, describe, it } from "@effect/vitest"
import { Array, Deferred, Effect, Fiber, Ref } from "effect"
import * as SharedLookups from "#src/kernel/outbound/SharedLookups.ts"
import { OutboundUnresolved } from "#src/kernel/outbound/OutboundError.ts"
import type { Resolve } from "#src/kernel/outbound/Vetting.ts"

/** The look-up as an effect, whose interruption gives it up. */
const shared = (resolve: Resolve) =>
  Effect.map(
    SharedLookups.make(resolve),
    (lookUp) => (name: string) =>
      Effect.callback<Array.NonEmptyReadonlyArray<string>, OutboundUnresolved>((resume) => {
        const giveUp = lookUp(name, resume)
        return Effect.sync(giveUp)
      })
  )

/** Look-ups that wait for `answer`, counted when they start and when they are cancelled. */
const held = Effect.gen(function* () {
  const started = yield* Ref.make<ReadonlyArray<string>>([])
  const givenUp = yield* Ref.make(0)
  const answer = yield* Deferred.make<Array.NonEmptyReadonlyArray<string>, OutboundUnresolved>()
  const lookUp = yield* shared((name) =>
    Ref.update(started, (names) => [...names, name]).pipe(
      Effect.andThen(Deferred.await(answer)),
      Effect.onInterrupt(() => Ref.update(givenUp, (count) => count + 1))
    )
  )
  return { started, givenUp, answer, lookUp }
})

/** Starts `count` look-ups and lets them wait. */
const start = (count: number, lookUp: Effect.Effect<unknown, OutboundUnresolved>) =>
  Effect.forEach(Array.range(1, count), () => Effect.forkChild(lookUp, { startImmediately: true })).pipe(
    Effect.tap(() => Effect.yieldNow)
  )

describe("SharedLookups", () => {
  it.effect("sends one query for all callers that wait for a name", () =>
    Effect.gen(function* () {
      const { started, answer, lookUp } = yield* held
      const fibers = yield* start(10, lookUp("a.example.com"))
      yield* start(1, lookUp("b.example.com"))
      yield* Deferred.succeed(answer, ["93.184.216.34"])
      assert.deepStrictEqual(yield* Fiber.joinAll(fibers), Array.replicate(["93.184.216.34"], 10))
      assert.deepStrictEqual(yield* Ref.get(started), ["a.example.com", "b.example.com"])
    })
  )

  it.effect("caches neither an answer nor a failure", () =>
    Effect.gen(function* () {
      const answers = yield* Ref.make<ReadonlyArray<string>>(["1.1.1.1", "", "8.8.8.8"])
      const lookUp = yield* shared(() =>
        Ref.modify(answers, ([next = "", ...rest]) => [next, rest]).pipe(
          Effect.flatMap((next) =>
            next === "" ? Effect.fail(new OutboundUnresolved()) : Effect.succeed(Array.of(next))
          )
        )
      )
      assert.deepStrictEqual(yield* lookUp("a.example.com"), ["1.1.1.1"])
      assert.instanceOf(yield* Effect.flip(lookUp("a.example.com")), OutboundUnresolved)
      assert.deepStrictEqual(yield* lookUp("a.example.com"), ["8.8.8.8"])
    })
  )

  it.effect("stops its query when the last waiting caller gives up, and not before", () =>
    Effect.gen(function* () {
      const { givenUp, lookUp } = yield* held
      const [first, second] = yield* Effect.all([
        Effect.forkChild(lookUp("a.example.com"), { startImmediately: true }),
        Effect.forkChild(lookUp("a.example.com"), { startImmediately: true })
      ])
      yield* Effect.yieldNow
      yield* Fiber.interrupt(first)
      assert.strictEqual(yield* Ref.get(givenUp), 0)
      yield* Fiber.interrupt(second)
      assert.strictEqual(yield* Ref.get(givenUp), 1)
    })
  )
})
