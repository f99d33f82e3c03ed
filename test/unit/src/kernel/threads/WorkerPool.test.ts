import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as WorkerPool from "#src/kernel/threads/WorkerPool.ts"

const options = {
  file: new URL("../../../../support/src/kernel/threads/fixtures/UnrulyWorker.ts", import.meta.url),
  size: 1,
  heapMb: 32,
  muted: true,
  timeToLive: Duration.seconds(60)
}

const deadline = Duration.seconds(20)

const make = (size = 1) => WorkerPool.make({ ...options, size })

const run = (pool: WorkerPool.WorkerPool, task: string, limit = deadline) =>
  pool.run({ task, started: Effect.void, deadline: limit })

const reply = (task: string) => ({ task, process: process.pid })

/** Runs a task and returns once a worker has it. */
const begin = Effect.fnUntraced(function* (pool: WorkerPool.WorkerPool, task: string) {
  const started = yield* Deferred.make<void>()
  const fiber = yield* Effect.forkChild(
    pool.run({ task, started: Effect.asVoid(Deferred.succeed(started, undefined)), deadline })
  )
  yield* Deferred.await(started)
  return fiber
})

describe("WorkerPool", () => {
  it.live.each([
    ["exits", "exit", "crashed"],
    ["throws", "throw", "crashed"],
    ["exhausts its heap", "eat", "out_of_memory"]
  ] as const)("a worker that %s is lost alone, and replaced", ([_case, task, reason]) =>
    Effect.gen(function* () {
      const pool = yield* make()
      const failure = yield* Effect.flip(run(pool, task))
      assert.strictEqual(failure.reason, reason)
      assert.deepStrictEqual(yield* run(pool, "next"), reply("next"))
    })
  )

  it.live("a worker that hangs is ended at the deadline, and replaced", () =>
    Effect.gen(function* () {
      const pool = yield* make()
      const failure = yield* Effect.flip(run(pool, "hang", Duration.millis(80)))
      assert.strictEqual(failure.reason, "deadline")
      assert.deepStrictEqual(yield* run(pool, "next"), reply("next"))
    })
  )

  it.live("an interrupted run ends its worker, and not the one beside it", () =>
    Effect.gen(function* () {
      const pool = yield* make(2)
      const silent = yield* begin(pool, "silence")
      const hanging = yield* begin(pool, "hang")
      yield* Fiber.interrupt(hanging)
      assert.deepStrictEqual(yield* run(pool, "next"), reply("next"))
      assert.isUndefined(silent.pollUnsafe())
      yield* Fiber.interrupt(silent)
    })
  )

  it.live("a task waits until a worker is free", () =>
    Effect.gen(function* () {
      const pool = yield* make()
      const first = yield* begin(pool, "silence")
      let isStarted = false
      const second = yield* Effect.forkChild(
        pool.run({ task: "next", started: Effect.sync(() => void (isStarted = true)), deadline }),
        { startImmediately: true }
      )
      assert.isFalse(isStarted)
      yield* Fiber.interrupt(first)
      assert.deepStrictEqual(yield* Fiber.join(second), reply("next"))
      assert.isTrue(isStarted)
    })
  )

  it.live("a caller that gives up waiting leaves the worker to others", () =>
    Effect.gen(function* () {
      const pool = yield* make()
      const first = yield* begin(pool, "silence")
      const waiting = yield* Effect.forkChild(run(pool, "never"), { startImmediately: true })
      yield* Fiber.interrupt(waiting)
      yield* Fiber.interrupt(first)
      assert.deepStrictEqual(yield* run(pool, "next"), reply("next"))
    })
  )

  it.live("a worker sees no setting of the server and has its given heap", () =>
    Effect.gen(function* () {
      const pool = yield* make()
      assert.deepStrictEqual(yield* run(pool, "environment"), { names: [], heapMb: 32 })
    })
  )

  it.live("a worker's output delays nothing", () =>
    Effect.gen(function* () {
      const pool = yield* make()
      for (let turn = 0; turn < 3; turn++) assert.strictEqual(yield* run(pool, "chatter"), "chattered")
    })
  )

  it.live("a module that does not load is a crash, each time", () =>
    Effect.gen(function* () {
      const pool = yield* WorkerPool.make({
        ...options,
        file: new URL("../../../../src/kernel/threads/fixtures/None.ts", import.meta.url)
      })
      assert.strictEqual((yield* Effect.flip(run(pool, "next"))).reason, "crashed")
      assert.strictEqual((yield* Effect.flip(run(pool, "next"))).reason, "crashed")
    })
  )

  it.effect("a worker is reused until it was idle for its time to live", () =>
    Effect.gen(function* () {
      const pool = yield* make()
      const first = yield* run(pool, "thread")
      assert.strictEqual(yield* run(pool, "thread"), first)
      yield* TestClock.adjust("121 seconds")
      assert.notStrictEqual(yield* run(pool, "thread"), first)
    })
  )

  it.live("closing the scope ends the workers", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.silent()
      const scope = yield* Scope.make()
      const pool = yield* Scope.provide(make(), scope)
      assert.strictEqual(yield* run(pool, `call ${receiver.port}`), "connected")
      const closed = yield* Effect.forkChild(receiver.closed, { startImmediately: true })
      yield* Scope.close(scope, Exit.void)
      yield* Fiber.join(closed)
    })
  )
})
