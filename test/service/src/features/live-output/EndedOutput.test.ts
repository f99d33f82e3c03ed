/** Outputs of runs that have ended, failed or were cancelled, and of those whose chunks were not kept. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Status from "#domain/inference-request/Status.ts"
import * as Money from "#domain/Money.ts"
import { ChunkStore } from "#src/features/live-output/ChunkStore.ts"
import { LiveRuns } from "#src/features/live-output/LiveRuns.ts"
import * as OutputChunks from "#test/support/OutputChunks.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { succeeded } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { TestProvider } from "#test/support/TestProvider.ts"
import * as Readers from "#test/support/src/features/live-output/Readers.ts"

const node = TestNode.layer({ models: Readers.models })
const counting = TestNode.layer({ catalog: Readers.countedCatalog })

describe("The output of an ended request", () => {
  it.effect("is shown whole at the end where its chunks are not kept", () =>
    Effect.gen(function* () {
      const { id, run } = yield* Readers.begun
      const { reader, reading } = yield* Readers.reads(id)
      yield* Readers.say(run, "a")
      yield* reader.until(1)
      yield* Readers.say(run, "b")
      yield* Readers.ends(run, "ab")
      yield* Fiber.join(reading)
      const [first = ""] = reader.ids
      yield* (yield* ChunkStore).remove(id)
      assert.deepStrictEqual(yield* Readers.eventsOf(id), ["ab"])
      assert.deepStrictEqual(yield* Readers.eventsOf(id, first), ["restart!", "ab"])
      assert.deepStrictEqual(yield* Readers.eventsOf(id, "no id of a chunk"), ["restart!", "ab"])
    }).pipe(Effect.provide(node))
  )

  it.effect("is shown once to its reader when the store fails, and whole to those who come late", () => {
    const { fail, layer: store } = OutputChunks.failing()
    const nodeWithStore = TestNode.nodeLayer({ models: Readers.models }).pipe(
      Layer.provideMerge(store),
      Layer.provideMerge(TestNode.storeLayer)
    )
    return Effect.gen(function* () {
      const { id, run } = yield* Readers.begun
      fail(true)
      const { reader, reading } = yield* Readers.reads(id)
      yield* Readers.say(run, "a")
      yield* TestClock.adjust("250 millis")
      yield* Readers.say(run, "b")
      yield* Readers.ends(run, "ab")
      yield* Fiber.join(reading)
      assert.deepStrictEqual(reader.events, ["a", "b"])
      fail(false)
      assert.deepStrictEqual(yield* Readers.eventsOf(id), ["ab"])
    }).pipe(Effect.provide(nodeWithStore))
  })

  it.effect("has no chunk of an earlier run when the last run made none", () =>
    Effect.gen(function* () {
      const { id, run } = yield* Readers.begun
      const { reader, reading } = yield* Readers.reads(id)
      yield* Readers.say(run, "a")
      yield* TestClock.adjust("250 millis")
      yield* Readers.say(run, "b")
      yield* run.does((control) => Effect.sync(() => control.restartChunks()))
      yield* Readers.ends(run, "c")
      yield* Fiber.join(reading)
      assert.deepStrictEqual(reader.events, ["a", "b", "restart!", "c"])
      yield* TestClock.adjust("250 millis")
      assert.deepStrictEqual(yield* Readers.eventsOf(id), ["c"])
    }).pipe(Effect.provide(node))
  )

  it.effect("has no chunk of a provider that goes on after the end", () =>
    Effect.gen(function* () {
      const { id, run } = yield* Readers.begun
      const control = yield* run.does((control) => Effect.succeed(control))
      yield* Readers.ends(run, "a")
      yield* Facts.untilEnd(id)
      control.chunk("late")
      control.restartChunks()
      // Its readers would wait for an end that never comes.
      assert.isNull((yield* LiveRuns).of(id))
      assert.deepStrictEqual(yield* Readers.eventsOf(id), ["a"])
    }).pipe(Effect.provide(node))
  )

  it.effect("is stored at the end of its run, without the chunks of runs that go on", () =>
    Effect.gen(function* () {
      const one = yield* Readers.begun
      const other = yield* Readers.begun
      yield* Readers.say(one.run, "a")
      yield* Readers.say(other.run, "b")
      yield* Readers.ends(one.run, "a")
      yield* Facts.untilEnd(one.id)
      const store = yield* ChunkStore
      assert.isTrue((yield* store.read(one.id, null))?.isComplete)
      assert.isNull(yield* store.read(other.id, null))
      yield* TestClock.adjust("250 millis")
      assert.deepStrictEqual((yield* store.read(other.id, null))?.texts, ['"b"'])
    }).pipe(Effect.provide(node))
  )

  it.effect("of a model without chunks is one chunk, after its progress", () =>
    Effect.gen(function* () {
      const id = yield* Facts.submit({ model: Readers.plain })
      const run = yield* (yield* TestProvider).next
      const { reader, reading } = yield* Readers.reads(id)
      yield* run.does((control) => control.progress({ fraction: 0.5, logs: [] }))
      yield* TestClock.adjust("2 seconds")
      yield* run.does((control) => control.progress({ fraction: 0.75, logs: [] }))
      yield* Facts.untilType(id, "ProgressReported")
      yield* run.ends(succeeded({ value: "out" }))
      yield* Fiber.join(reading)
      assert.deepStrictEqual(reader.events.at(-1), { value: "out" })
      assert.include(reader.events, "0.75!")
    }).pipe(Effect.provide(node))
  )

  it.effect("ends without chunks of its own when the run fails", () =>
    Effect.gen(function* () {
      const { id, run } = yield* Readers.begun
      const { reader, reading } = yield* Readers.reads(id)
      yield* Readers.say(run, "a")
      yield* run.ends({ _tag: "ModelFailed", message: "no" })
      const { request } = yield* Fiber.join(reading)
      assert.strictEqual(request.phase._tag, "Completed")
      assert.deepStrictEqual(reader.events, ["a"])
    }).pipe(Effect.provide(node))
  )

  it.effect("of a cancelled run is what it had made, and is billed as a part", () =>
    Effect.gen(function* () {
      const { id, run } = yield* Readers.begunOf(Readers.counted)
      const { reader, reading } = yield* Readers.reads(id)
      yield* Readers.say(run, "a", "b")
      const cancelling = yield* Effect.forkScoped(Facts.cancel(id, Readers.counted))
      yield* run.stopRequested
      yield* run.ends({ _tag: "CutShort", output: "ab" })
      const { request } = yield* Fiber.join(reading)
      assert.deepStrictEqual(reader.events, ["a", "b"])
      assert.strictEqual(Status.outcome(request), "partial")
      const [completed] = Facts.ofType(yield* Facts.events(id), "RequestCompleted")
      assert.deepInclude(completed?.billing, { status: "partial", units: Money.units(2) })
      const { cancel } = yield* Fiber.join(cancelling)
      assert.deepStrictEqual(cancel, {
        accepted: true,
        reason: "The run was stopped. What it had delivered is kept and billed."
      })
    }).pipe(Effect.provide(counting))
  )

  it.effect("of a cancelled run is nothing where the price does not count what was delivered", () =>
    Effect.gen(function* () {
      const { id, run } = yield* Readers.begun
      yield* Readers.say(run, "a")
      const cancelling = yield* Effect.forkScoped(Facts.cancel(id, Readers.streaming))
      yield* run.stopRequested
      yield* run.ends({ _tag: "CutShort", output: "a" })
      const { cancel, request } = yield* Fiber.join(cancelling)
      assert.deepStrictEqual(cancel, { accepted: true, reason: "The request is cancelled and not billed." })
      assert.strictEqual(Status.outcome(request), "cancelled")
    }).pipe(Effect.provide(node))
  )

  it.effect("of a run that was stopped before it made a valid one is nothing, and costs nothing", () =>
    Effect.gen(function* () {
      const { id, run } = yield* Readers.begun
      yield* Effect.forkScoped(Facts.cancel(id, Readers.streaming))
      yield* run.stopRequested
      yield* run.ends({ _tag: "CutShort", output: { not: "a text" } })
      const { request } = yield* Readers.follow(id, Readers.record())
      assert.strictEqual(request.phase._tag, "Cancelled")
    }).pipe(Effect.provide(node))
  )
})
