import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as AppendHealth from "#src/platform/health/AppendHealth.ts"
import * as Health from "#src/platform/health/Health.ts"
import { EventStore, withAppend } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as AppendFaults from "#test/support/AppendFaults.ts"

let disk = true

const layerOver = <A, E, R>(store: Layer.Layer<A | EventStore, E, R>) =>
  AppendHealth.layerOf(Effect.sync(() => disk)).pipe(
    Layer.provideMerge(store),
    Layer.provideMerge(Health.layer)
  )

const layer = layerOver(AppendFaults.layer.pipe(Layer.provideMerge(MemoryEventStore.layer)))

const hanging = Layer.effect(
  EventStore,
  Effect.map(EventStore, (store) => withAppend(store, () => Effect.never))
).pipe(Layer.provide(MemoryEventStore.layer))

const codes = Effect.gen(function* () {
  const { reasons } = yield* Health.Health
  return (yield* reasons).map(({ code, since }) => [code, since] as const)
})

let events = 0
const append = Effect.gen(function* () {
  const { append } = yield* EventStore
  const id = `e${events++}`
  return yield* append({
    stream: StreamName.make("Test", id),
    expected: ExpectedVersion.NoStream,
    events: [{ id, type: "Tested", time: 0, data: {} }]
  })
})

describe("the health of appends", () => {
  it.effect("reports since when the log cannot be written, until an append succeeds", () =>
    Effect.gen(function* () {
      disk = false
      const faults = yield* AppendFaults.AppendFaults
      yield* append
      assert.deepStrictEqual(yield* codes, [])
      faults.decide(() => "refused")
      yield* TestClock.adjust("1 second")
      yield* Effect.flip(append)
      yield* TestClock.adjust("9 seconds")
      yield* Effect.flip(append)
      assert.deepStrictEqual(yield* codes, [["log_not_writable", 1_000]])
      faults.decide(() => "stored")
      yield* append
      assert.deepStrictEqual(yield* codes, [])
    }).pipe(Effect.provide(layer))
  )

  it.effect("detects that the log is writable again without any append", () =>
    Effect.gen(function* () {
      disk = false
      const faults = yield* AppendFaults.AppendFaults
      faults.decide(() => "refused")
      yield* Effect.flip(append)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* codes).length, 1)
      disk = true
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* codes, [])
    }).pipe(Effect.provide(layer))
  )

  it.effect("reports since when appends are not answered", () =>
    Effect.gen(function* () {
      yield* Effect.forkChild(append)
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* codes, [])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* codes, [["log_not_answering", 0]])
    }).pipe(Effect.provide(layerOver(hanging)))
  )
})
