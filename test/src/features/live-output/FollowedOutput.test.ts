/** Outputs of real runs, read while they are made, late, after a restart, on another node and slowly. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { RequestId } from "#domain/Ids.ts"
import { ChunkStore } from "#src/features/live-output/ChunkStore.ts"
import { LiveOutput, type OutputReader } from "#src/features/live-output/LiveOutput.ts"
import { LiveRuns } from "#src/features/live-output/LiveRuns.ts"
import { perRequest } from "#src/features/catalog/models/builtin/sandbox/SandboxDefaults.ts"
import { defineModel } from "#src/features/catalog/models/builtin/BuiltinModel.ts"
import * as OutputChunks from "#test/support/OutputChunks.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { succeeded, testModel } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { TestProvider, type TestRun } from "#test/support/TestProvider.ts"

const { model } = testModel("test/stream", { concurrency: 10 })
const streaming = defineModel({
  ...perRequest,
  ...model,
  outputSchema: { type: "string" },
  output: { stream: "text" }
})
const plain = testModel("test/plain")
const models = [streaming, plain]

/** What a reader got: texts of chunks, and the names of other events. */
interface Recorded {
  readonly reader: OutputReader
  readonly events: Array<string>
  readonly ids: Array<string>
  /** Completes with the chunk of this number. */
  readonly until: (count: number) => Effect.Effect<void>
}

const record = (
  isFull: (count: number) => boolean = () => false,
  ready: Effect.Effect<void> = Effect.void
): Recorded => {
  const events: Array<string> = []
  const ids: Array<string> = []
  const waiting = new Map<number, Deferred.Deferred<void>>()
  const waitFor = (count: number) => {
    const known = waiting.get(count) ?? Deferred.makeUnsafe<void>()
    waiting.set(count, known)
    return known
  }
  return {
    events,
    ids,
    until: (count) => Deferred.await(waitFor(count)),
    reader: {
      chunk: ({ id, text }) => {
        events.push(JSON.parse(text))
        ids.push(id)
        Deferred.doneUnsafe(waitFor(ids.length), Effect.void)
        return !isFull(ids.length)
      },
      restart: () => void events.push("restart!"),
      progress: (fraction) => void events.push(`${fraction}!`),
      ready
    }
  }
}

const follow = Effect.fnUntraced(function* (
  id: RequestId,
  { reader }: Recorded,
  after: string | null = null
) {
  const live = yield* LiveOutput
  const snapshot = yield* Facts.snapshot(id)
  return yield* live.follow({ snapshot, after, reader })
})

const say = (run: TestRun, ...texts: ReadonlyArray<string>) =>
  run.does((control) => Effect.sync(() => texts.forEach((text) => control.chunk(text))))

const begun = Effect.gen(function* () {
  const id = yield* Facts.submit({ model: streaming })
  return { id, run: yield* (yield* TestProvider).next }
})

const ends = (run: TestRun, output: string) =>
  run.ends({ ...succeeded(), output, _tag: "Succeeded" } as never)

describe("The output of a request", () => {
  it.effect("is shown chunk by chunk, in the turn in which it is made", () =>
    Effect.gen(function* () {
      const { id, run } = yield* begun
      const first = record()
      const reading = yield* Effect.forkScoped(follow(id, first))
      yield* say(run, "a")
      yield* first.until(1)
      // Nothing more is made, no time has passed, and nothing was stored.
      assert.deepStrictEqual(first.events, ["a"])
      yield* say(run, "b", "c")
      yield* ends(run, "abc")
      const { request } = yield* Fiber.join(reading)
      assert.strictEqual(request.phase._tag, "Completed")
      assert.deepStrictEqual(first.events, ["a", "b", "c"])
    }).pipe(Effect.provide(TestNode.layer({ models })))
  )

  it.effect("is shown to late readers and to those who resume, from memory and from the store", () =>
    Effect.gen(function* () {
      const { id, run } = yield* begun
      yield* say(run, "a", "b")
      yield* TestClock.adjust("250 millis")
      yield* say(run, "c")
      const late = record()
      const reading = yield* Effect.forkScoped(follow(id, late))
      yield* late.until(3)
      assert.deepStrictEqual(late.events, ["a", "b", "c"])
      const resumed = record()
      const resuming = yield* Effect.forkScoped(follow(id, resumed, late.ids[1]))
      yield* resumed.until(1)
      yield* say(run, "d")
      yield* ends(run, "abcd")
      yield* Fiber.join(reading)
      yield* Fiber.join(resuming)
      assert.deepStrictEqual(late.events, ["a", "b", "c", "d"])
      assert.deepStrictEqual(resumed.events, ["c", "d"])
      const after = record()
      yield* follow(id, after)
      assert.deepStrictEqual(after.events, ["a", "b", "c", "d"])
      const atEnd = record()
      yield* follow(id, atEnd, late.ids[3])
      assert.deepStrictEqual(atEnd.events, [])
    }).pipe(Effect.provide(TestNode.layer({ models })))
  )

  it.effect("begins again when the run is lost, on another node, where earlier chunks are known", () =>
    Effect.gen(function* () {
      const dead = yield* TestNode.start({ name: "dead", models })
      const { id, run } = yield* dead.on(begun)
      yield* say(run, "a", "b")
      yield* TestClock.adjust("250 millis")
      yield* dead.crash
      const heir = yield* TestNode.start({ name: "heir", models })
      const reader = record()
      const reading = yield* Effect.forkScoped(heir.on(follow(id, reader)))
      yield* reader.until(2)
      yield* heir.on(Facts.untilType(id, "RequestRequeued"))
      yield* TestClock.adjust("250 millis")
      const second = yield* (yield* TestProvider).next
      yield* say(second, "x")
      yield* ends(second, "x")
      yield* Fiber.join(reading)
      assert.deepStrictEqual(reader.events, ["a", "b", "restart!", "x"])
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("ends with its request, also while the provider goes on", () =>
    Effect.gen(function* () {
      const deadlines = { startTimeoutMs: null, cancelAfterMs: 1_000 }
      const id = yield* Facts.submit({ model: streaming, deadlines })
      const run = yield* (yield* TestProvider).next
      const reader = record()
      const reading = yield* Effect.forkScoped(follow(id, reader))
      yield* say(run, "a")
      yield* reader.until(1)
      yield* TestClock.adjust("1 second")
      const { request } = yield* Fiber.join(reading)
      assert.strictEqual(request.phase._tag, "Cancelled")
      assert.deepStrictEqual(reader.events, ["a"])
    }).pipe(Effect.provide(TestNode.layer({ models })))
  )

  it.effect("does not show chunks of a lost run again when the next one ends without any", () =>
    Effect.gen(function* () {
      const { id, run } = yield* begun
      const reader = record()
      const reading = yield* Effect.forkScoped(follow(id, reader))
      yield* say(run, "a")
      yield* reader.until(1)
      yield* run.ends({ _tag: "ProviderError", message: "reset", retryable: true })
      yield* Facts.untilType(id, "RequestRequeued")
      yield* TestClock.adjust("1 second")
      const second = yield* (yield* TestProvider).next
      yield* ends(second, "whole")
      yield* Fiber.join(reading)
      assert.deepStrictEqual(reader.events, ["a", "restart!", "whole"])
      const late = record()
      yield* follow(id, late)
      assert.deepStrictEqual(late.events, ["whole"])
    }).pipe(Effect.provide(TestNode.layer({ models })))
  )

  it.effect("begins again when the provider begins it again", () =>
    Effect.gen(function* () {
      const { id, run } = yield* begun
      const reader = record()
      const reading = yield* Effect.forkScoped(follow(id, reader))
      yield* say(run, "a")
      yield* reader.until(1)
      yield* run.does((control) => Effect.sync(() => control.restartChunks()))
      yield* say(run, "b")
      yield* ends(run, "b")
      yield* Fiber.join(reading)
      assert.deepStrictEqual(reader.events, ["a", "restart!", "b"])
    }).pipe(Effect.provide(TestNode.layer({ models })))
  )

  it.effect("is not kept in memory for a slow reader, who gets every chunk", () =>
    Effect.gen(function* () {
      const { id, run } = yield* begun
      const drained = yield* Deferred.make<void>()
      const slow = record((count) => count === 1, Deferred.await(drained))
      const reading = yield* Effect.forkScoped(follow(id, slow))
      const texts = Array.from({ length: 3_000 }, (_, index) => `${index} `)
      yield* say(run, texts[0] ?? "")
      yield* slow.until(1)
      yield* say(run, ...texts.slice(1))
      yield* TestClock.adjust("250 millis")
      assert.lengthOf(slow.events, 1)
      yield* Deferred.succeed(drained, undefined)
      yield* slow.until(3_000)
      yield* ends(run, texts.join(""))
      yield* Fiber.join(reading)
      assert.deepStrictEqual(slow.events, texts)
    }).pipe(Effect.provide(TestNode.layer({ models })))
  )

  it.effect("is shown once to a reader that is full after each chunk and ready at once", () =>
    Effect.gen(function* () {
      const { id, run } = yield* begun
      const brief = record(() => true)
      const reading = yield* Effect.forkScoped(follow(id, brief))
      yield* say(run, "a")
      yield* brief.until(1)
      yield* say(run, "b", "c")
      yield* ends(run, "abc")
      yield* Fiber.join(reading)
      assert.deepStrictEqual(brief.events, ["a", "b", "c"])
    }).pipe(Effect.provide(TestNode.layer({ models })))
  )

  it.effect("is shown whole at the end where its chunks are not kept", () =>
    Effect.gen(function* () {
      const { id, run } = yield* begun
      const reader = record()
      const reading = yield* Effect.forkScoped(follow(id, reader))
      yield* say(run, "a")
      yield* reader.until(1)
      yield* say(run, "b")
      yield* ends(run, "ab")
      yield* Fiber.join(reading)
      const [first = ""] = reader.ids
      yield* (yield* ChunkStore).remove(id)
      const late = record()
      yield* follow(id, late)
      assert.deepStrictEqual(late.events, ["ab"])
      const resumed = record()
      yield* follow(id, resumed, first)
      assert.deepStrictEqual(resumed.events, ["restart!", "ab"])
      const foreign = record()
      yield* follow(id, foreign, "no id of a chunk")
      assert.deepStrictEqual(foreign.events, ["restart!", "ab"])
    }).pipe(Effect.provide(TestNode.layer({ models })))
  )

  it.effect("is shown once to its reader when the store fails, and whole to those who come late", () => {
    const { fail, layer: store } = OutputChunks.failing()
    const node = TestNode.nodeLayer({ models }).pipe(
      Layer.provideMerge(store),
      Layer.provideMerge(TestNode.storeLayer)
    )
    return Effect.gen(function* () {
      const { id, run } = yield* begun
      fail(true)
      const reader = record()
      const reading = yield* Effect.forkScoped(follow(id, reader))
      yield* say(run, "a")
      yield* TestClock.adjust("250 millis")
      yield* say(run, "b")
      yield* ends(run, "ab")
      yield* Fiber.join(reading)
      assert.deepStrictEqual(reader.events, ["a", "b"])
      fail(false)
      const late = record()
      yield* follow(id, late)
      assert.deepStrictEqual(late.events, ["ab"])
    }).pipe(Effect.provide(node))
  })

  it.effect("has no chunk of an earlier run when the last run made none", () =>
    Effect.gen(function* () {
      const { id, run } = yield* begun
      const reader = record()
      const reading = yield* Effect.forkScoped(follow(id, reader))
      yield* say(run, "a")
      yield* TestClock.adjust("250 millis")
      yield* say(run, "b")
      yield* run.does((control) => Effect.sync(() => control.restartChunks()))
      yield* ends(run, "c")
      yield* Fiber.join(reading)
      assert.deepStrictEqual(reader.events, ["a", "b", "restart!", "c"])
      yield* TestClock.adjust("250 millis")
      const late = record()
      yield* follow(id, late)
      assert.deepStrictEqual(late.events, ["c"])
    }).pipe(Effect.provide(TestNode.layer({ models })))
  )

  it.effect("has no chunk of a provider that goes on after the end", () =>
    Effect.gen(function* () {
      const { id, run } = yield* begun
      const control = yield* run.does((control) => Effect.succeed(control))
      yield* ends(run, "a")
      yield* Facts.untilEnd(id)
      control.chunk("late")
      control.restartChunks()
      // Its readers would wait for an end that never comes.
      assert.isNull((yield* LiveRuns).of(id))
      const late = record()
      yield* follow(id, late)
      assert.deepStrictEqual(late.events, ["a"])
    }).pipe(Effect.provide(TestNode.layer({ models })))
  )

  it.effect("is stored at the end of its run, without the chunks of runs that go on", () =>
    Effect.gen(function* () {
      const one = yield* begun
      const other = yield* begun
      yield* say(one.run, "a")
      yield* say(other.run, "b")
      yield* ends(one.run, "a")
      yield* Facts.untilEnd(one.id)
      const store = yield* ChunkStore
      assert.isTrue((yield* store.read(one.id, null))?.isComplete)
      assert.isNull(yield* store.read(other.id, null))
      yield* TestClock.adjust("250 millis")
      assert.deepStrictEqual((yield* store.read(other.id, null))?.texts, ['"b"'])
    }).pipe(Effect.provide(TestNode.layer({ models })))
  )

  it.effect("of a model without chunks is one chunk, after its progress", () =>
    Effect.gen(function* () {
      const id = yield* Facts.submit({ model: plain })
      const run = yield* (yield* TestProvider).next
      const reader = record()
      const reading = yield* Effect.forkScoped(follow(id, reader))
      yield* run.does((control) => control.progress({ fraction: 0.5, logs: [] }))
      yield* TestClock.adjust("2 seconds")
      yield* run.does((control) => control.progress({ fraction: 0.75, logs: [] }))
      yield* Facts.untilType(id, "ProgressReported")
      yield* run.ends(succeeded({ value: "out" }))
      yield* Fiber.join(reading)
      assert.deepStrictEqual(reader.events.at(-1), { value: "out" } as never)
      assert.include(reader.events, "0.75!")
    }).pipe(Effect.provide(TestNode.layer({ models })))
  )

  it.effect("ends without chunks of its own when the run fails", () =>
    Effect.gen(function* () {
      const { id, run } = yield* begun
      const reader = record()
      const reading = yield* Effect.forkScoped(follow(id, reader))
      yield* say(run, "a")
      yield* run.ends({ _tag: "ModelFailed", message: "no" })
      const { request } = yield* Fiber.join(reading)
      assert.strictEqual(request.phase._tag, "Completed")
      assert.deepStrictEqual(reader.events, ["a"])
    }).pipe(Effect.provide(TestNode.layer({ models })))
  )

  it.effect("of a cancelled run is what it had made, and is billed", () =>
    Effect.gen(function* () {
      const { id, run } = yield* begun
      const reader = record()
      const reading = yield* Effect.forkScoped(follow(id, reader))
      yield* say(run, "a", "b")
      yield* Effect.forkScoped(Facts.cancel(id, streaming))
      yield* run.stopRequested
      yield* run.ends({ _tag: "CutShort", output: "ab" })
      const { request } = yield* Fiber.join(reading)
      assert.deepStrictEqual(reader.events, ["a", "b"])
      assert.strictEqual(request.phase._tag, "Completed")
      const [completed] = Facts.ofType(yield* Facts.events(id), "RequestCompleted")
      assert.strictEqual(completed?.billing.status, "charged")
    }).pipe(Effect.provide(TestNode.layer({ models })))
  )

  it.effect("of a run that was stopped before it made a valid one is nothing, and costs nothing", () =>
    Effect.gen(function* () {
      const { id, run } = yield* begun
      yield* Effect.forkScoped(Facts.cancel(id, streaming))
      yield* run.stopRequested
      yield* run.ends({ _tag: "CutShort", output: { not: "a text" } })
      const { request } = yield* follow(id, record())
      assert.strictEqual(request.phase._tag, "Cancelled")
    }).pipe(Effect.provide(TestNode.layer({ models })))
  )
})
