/** Outputs of real runs, read while they are made, late, after a restart, on another node and slowly. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Facts from "#test/support/RequestFacts.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { TestProvider } from "#test/support/TestProvider.ts"
import * as Readers from "#test/support/src/features/live-output/Readers.ts"

const node = TestNode.layer({ models: Readers.models })

describe("The output of a request", () => {
  it.effect("is shown chunk by chunk, in the turn in which it is made", () =>
    Effect.gen(function* () {
      const { id, run } = yield* Readers.begun
      const first = Readers.record()
      const reading = yield* Effect.forkScoped(Readers.follow(id, first))
      yield* Readers.say(run, "a")
      yield* first.until(1)
      // Nothing more is made, no time has passed, and nothing was stored.
      assert.deepStrictEqual(first.events, ["a"])
      yield* Readers.say(run, "b", "c")
      yield* Readers.ends(run, "abc")
      const { request } = yield* Fiber.join(reading)
      assert.strictEqual(request.phase._tag, "Completed")
      assert.deepStrictEqual(first.events, ["a", "b", "c"])
    }).pipe(Effect.provide(node))
  )

  it.effect("is shown to late readers and to those who resume, from memory and from the store", () =>
    Effect.gen(function* () {
      const { id, run } = yield* Readers.begun
      yield* Readers.say(run, "a", "b")
      yield* TestClock.adjust("250 millis")
      yield* Readers.say(run, "c")
      const late = Readers.record()
      const reading = yield* Effect.forkScoped(Readers.follow(id, late))
      yield* late.until(3)
      assert.deepStrictEqual(late.events, ["a", "b", "c"])
      const resumed = Readers.record()
      const resuming = yield* Effect.forkScoped(Readers.follow(id, resumed, late.ids[1]))
      yield* resumed.until(1)
      yield* Readers.say(run, "d")
      yield* Readers.ends(run, "abcd")
      yield* Fiber.join(reading)
      yield* Fiber.join(resuming)
      assert.deepStrictEqual(late.events, ["a", "b", "c", "d"])
      assert.deepStrictEqual(resumed.events, ["c", "d"])
      assert.deepStrictEqual(yield* Readers.eventsOf(id), ["a", "b", "c", "d"])
      assert.deepStrictEqual(yield* Readers.eventsOf(id, late.ids[3]), [])
    }).pipe(Effect.provide(node))
  )

  it.effect("begins again when the run is lost, on another node, where earlier chunks are known", () =>
    Effect.gen(function* () {
      const dead = yield* TestNode.start({ name: "dead", models: Readers.models })
      const { id, run } = yield* dead.on(Readers.begun)
      yield* Readers.say(run, "a", "b")
      yield* TestClock.adjust("250 millis")
      yield* dead.crash
      const heir = yield* TestNode.start({ name: "heir", models: Readers.models })
      const reader = Readers.record()
      const reading = yield* Effect.forkScoped(heir.on(Readers.follow(id, reader)))
      yield* reader.until(2)
      yield* heir.on(Facts.untilType(id, "RequestRequeued"))
      yield* TestClock.adjust("250 millis")
      const second = yield* (yield* TestProvider).next
      yield* Readers.say(second, "x")
      yield* Readers.ends(second, "x")
      yield* Fiber.join(reading)
      assert.deepStrictEqual(reader.events, ["a", "b", "restart!", "x"])
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("ends with its request, also while the provider goes on", () =>
    Effect.gen(function* () {
      const deadlines = { startTimeoutMs: null, cancelAfterMs: 1_000 }
      const id = yield* Facts.submit({ model: Readers.streaming, deadlines })
      const run = yield* (yield* TestProvider).next
      const { reader, reading } = yield* Readers.reads(id)
      yield* Readers.say(run, "a")
      yield* reader.until(1)
      yield* TestClock.adjust("1 second")
      const { request } = yield* Fiber.join(reading)
      assert.strictEqual(request.phase._tag, "Cancelled")
      assert.deepStrictEqual(reader.events, ["a"])
    }).pipe(Effect.provide(node))
  )

  it.effect("does not show chunks of a lost run again when the next one Readers.ends without any", () =>
    Effect.gen(function* () {
      const { id, run } = yield* Readers.begun
      const { reader, reading } = yield* Readers.reads(id)
      yield* Readers.say(run, "a")
      yield* reader.until(1)
      yield* run.ends({ _tag: "ProviderError", message: "reset", retryable: true })
      yield* Facts.untilType(id, "RequestRequeued")
      yield* TestClock.adjust("1 second")
      const second = yield* (yield* TestProvider).next
      yield* Readers.ends(second, "whole")
      yield* Fiber.join(reading)
      assert.deepStrictEqual(reader.events, ["a", "restart!", "whole"])
      assert.deepStrictEqual(yield* Readers.eventsOf(id), ["whole"])
    }).pipe(Effect.provide(node))
  )

  it.effect("begins again when the provider begins it again", () =>
    Effect.gen(function* () {
      const { id, run } = yield* Readers.begun
      const { reader, reading } = yield* Readers.reads(id)
      yield* Readers.say(run, "a")
      yield* reader.until(1)
      yield* run.does((control) => Effect.sync(() => control.restartChunks()))
      yield* Readers.say(run, "b")
      yield* Readers.ends(run, "b")
      yield* Fiber.join(reading)
      assert.deepStrictEqual(reader.events, ["a", "restart!", "b"])
    }).pipe(Effect.provide(node))
  )

  it.effect("is not kept in memory for a slow reader, who gets every chunk", () =>
    Effect.gen(function* () {
      const { id, run } = yield* Readers.begun
      const drained = yield* Deferred.make<void>()
      const slow = Readers.record((count) => count === 1, Deferred.await(drained))
      const reading = yield* Effect.forkScoped(Readers.follow(id, slow))
      const texts = Array.from({ length: 3_000 }, (_, index) => `${index} `)
      yield* Readers.say(run, texts[0] ?? "")
      yield* slow.until(1)
      yield* Readers.say(run, ...texts.slice(1))
      yield* TestClock.adjust("250 millis")
      assert.lengthOf(slow.events, 1)
      yield* Deferred.succeed(drained, undefined)
      yield* slow.until(3_000)
      yield* Readers.ends(run, texts.join(""))
      yield* Fiber.join(reading)
      assert.deepStrictEqual(slow.events, texts)
    }).pipe(Effect.provide(node))
  )

  it.effect("is shown once to a reader that is full after each chunk and ready at once", () =>
    Effect.gen(function* () {
      const { id, run } = yield* Readers.begun
      const brief = Readers.record(() => true)
      const reading = yield* Effect.forkScoped(Readers.follow(id, brief))
      yield* Readers.say(run, "a")
      yield* brief.until(1)
      yield* Readers.say(run, "b", "c")
      yield* Readers.ends(run, "abc")
      yield* Fiber.join(reading)
      assert.deepStrictEqual(brief.events, ["a", "b", "c"])
    }).pipe(Effect.provide(node))
  )
})
