import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import * as RoundRobin from "#src/features/catalog/models/expression/RoundRobin.ts"

/** Turns that record their names, behind one that lasts until `end`. */
const held = Effect.gen(function* () {
  const turns = RoundRobin.make()
  const order: Array<string> = []
  const ended = yield* Deferred.make<void>()
  const first = yield* Effect.forkChild(turns.run("first", null, Deferred.await(ended)), {
    startImmediately: true
  })
  const wait = (owner: string, name: string, room: RoundRobin.Room | null = null) =>
    Effect.forkChild(
      turns.run(
        owner,
        room,
        Effect.sync(() => order.push(name))
      ),
      { startImmediately: true }
    )
  return { order, wait, end: Effect.andThen(Deferred.succeed(ended, undefined), Fiber.join(first)), turns }
})

describe("RoundRobin", () => {
  it.effect("go to each owner in turn, and to an owner's waiters in order", () =>
    Effect.gen(function* () {
      const { end, order, wait } = yield* held
      const fibers = [
        yield* wait("a", "a1"),
        yield* wait("a", "a2"),
        yield* wait("a", "a3"),
        yield* wait("b", "b1"),
        yield* wait("c", "c1"),
        yield* wait("b", "b2")
      ]
      yield* end
      yield* Effect.forEach(fibers, Fiber.join)
      assert.deepStrictEqual(order, ["a1", "b1", "c1", "a2", "b2", "a3"])
    })
  )

  it.effect(
    "are rejected at once when too many wait, of one owner or of all, unless the wait is unbounded",
    () =>
      Effect.gen(function* () {
        const { end, order, wait } = yield* held
        const room = { inAll: 3, ofOwner: 2 }
        const fibers = [
          yield* wait("a", "a1", room),
          yield* wait("a", "a2", room),
          yield* wait("b", "b1", room),
          yield* wait("run", "run")
        ]
        const refused = [yield* wait("a", "a3", room), yield* wait("c", "c1", room)]
        for (const fiber of refused) {
          assert.strictEqual((yield* Effect.flip(Fiber.join(fiber)))._tag, "EvaluatorBusy")
        }
        yield* end
        yield* Effect.forEach(fibers, Fiber.join)
        assert.deepStrictEqual(order, ["a1", "b1", "run", "a2"])
      })
  )

  it.effect("skip waiters that have left, and free their places", () =>
    Effect.gen(function* () {
      const { end, order, turns, wait } = yield* held
      const room = { inAll: 1, ofOwner: 1 }
      yield* Fiber.interrupt(yield* wait("a", "gone", room))
      const stays = yield* wait("b", "stays", room)
      yield* end
      yield* Fiber.join(stays)
      yield* turns.run("c", room, Effect.interrupt).pipe(Effect.exit)
      yield* turns.run(
        "d",
        room,
        Effect.sync(() => order.push("after"))
      )
      assert.deepStrictEqual(order, ["stays", "after"])
    })
  )
})
