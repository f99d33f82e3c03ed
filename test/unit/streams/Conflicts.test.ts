import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Conflicts from "#streams/Conflicts.ts"
import { EventStore, WrongExpectedVersion } from "#streams/EventStore.ts"
import * as Counter from "#test/support/streams/Counter.ts"
import * as CounterNodes from "#test/support/streams/CounterNodes.ts"

/** A node whose first appends each meet an append of another node. */
const contended = (conflicts: number) =>
  Effect.gen(function* () {
    const others = yield* EventStore
    const tries: Array<number> = []
    const { actors } = yield* CounterNodes.node({}, () => ({
      append: (options) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          tries.push(now)
          return tries.length > conflicts
            ? others.append(options)
            : Effect.fail(new WrongExpectedVersion({ stream: options.stream }))
        })
    }))
    return { actors, tries }
  })

describe("A command whose append always conflicts", () => {
  it.effect("is retried with growing delays, and fails after a number of tries", () =>
    Effect.gen(function* () {
      const { actors, tries } = yield* contended(Infinity)
      const executed = yield* Effect.forkChild(Effect.flip(actors.execute("a", Counter.raise())))
      yield* TestClock.adjust("10 seconds")
      const error = yield* Fiber.join(executed)
      assert.deepInclude(error, { _tag: "EventStoreError", isAbsent: true })
      assert.lengthOf(tries, Conflicts.maxInARow)
      const waits = tries.slice(1).map((at, index) => at - (tries[index] ?? at))
      assert.deepStrictEqual(
        waits.slice(0, 8),
        Array.from({ length: 8 }, () => 0)
      )
      for (const wait of waits.slice(-8)) {
        assert.isAtLeast(wait, 125)
        assert.isAtMost(wait, 250)
      }
      assert.isAbove(new Set(waits.slice(-8)).size, 1)
      assert.deepStrictEqual(yield* CounterNodes.logOf("a"), [])
    }).pipe(Effect.provide(CounterNodes.layer))
  )

  it.effect("takes effect when the conflicts end, and the next command starts again", () =>
    Effect.gen(function* () {
      const { actors, tries } = yield* contended(Conflicts.maxInARow - 1)
      const executed = yield* Effect.forkChild(actors.execute("a", Counter.raise()))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Fiber.join(executed)).state.total, 1)
      assert.strictEqual((yield* actors.execute("a", Counter.raise())).state.total, 2)
      assert.lengthOf(tries, Conflicts.maxInARow + 1)
    }).pipe(Effect.provide(CounterNodes.layer))
  )
})
