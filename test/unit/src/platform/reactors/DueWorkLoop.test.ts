import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Projections } from "#projections/Projections.ts"
import * as SteadyTime from "#src/kernel/time/SteadyTime.ts"
import { Nodes } from "#src/platform/cluster/Nodes.ts"
import * as DueWorkLoop from "#src/platform/reactors/DueWorkLoop.ts"
import * as MemoryEventStore from "#streams/MemoryEventStore.ts"

const layer = Layer.mergeAll(
  Layer.mock(Projections, { changes: () => Stream.never, reportDamage: () => {} }),
  Layer.succeed(Nodes, { self: "a", isAlive: () => true, live: () => ["a"], changes: Stream.never }),
  SteadyTime.SteadyTime.layer.pipe(Layer.provide(MemoryEventStore.layer))
)

/** Runs a loop over rows that fall due at these times. Returns the times at which its passes began. */
const begun = Effect.fnUntraced(function* ({
  dueAt = [],
  passMs = 0
}: {
  readonly dueAt?: ReadonlyArray<number>
  readonly passMs?: number
}) {
  const steady = yield* SteadyTime.SteadyTime
  const loop = yield* DueWorkLoop.make
  const passes: Array<number> = []
  yield* loop.run({
    name: "The test",
    projections: [],
    recover: Effect.void,
    pass: Effect.gen(function* () {
      passes.push(yield* steady.now)
      yield* Effect.sleep(passMs)
      return "idle" as const
    }),
    nextDueAt: (after) => Effect.succeed(dueAt.find((at) => at > after) ?? null)
  })
  yield* TestClock.adjust(passMs)
  return { loop, passes }
})

describe("A loop over rows that fall due", () => {
  it.effect("begins a pass for a row that fell due during the last one", () =>
    Effect.gen(function* () {
      const { passes } = yield* begun({ dueAt: [3], passMs: 5 })
      assert.deepStrictEqual(passes, [0])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(passes, [0, 6])
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.effect("wakes at a time that is asked for while it sleeps", () =>
    Effect.gen(function* () {
      const { loop, passes } = yield* begun({})
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(passes, [0])
      loop.wakeAt(12_000)
      yield* TestClock.adjust(0)
      // It looks at once, and the reactor asks again for what is still needed.
      assert.deepStrictEqual(passes, [0, 10_000])
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.effect("sleeps on if it wakes earlier than asked for", () =>
    Effect.gen(function* () {
      const { loop, passes } = yield* begun({ dueAt: [20_000] })
      loop.wakeAt(30_000)
      yield* TestClock.adjust("19 seconds")
      assert.deepStrictEqual(passes, [0])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(passes, [0, 20_000])
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})
