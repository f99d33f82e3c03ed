/** Jobs whose workers or nodes disappear. Uses the test clock. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { RequestId } from "#domain/Ids.ts"
import * as Lease from "#src/features/providers/pull/Lease.ts"
import { WorkerPool } from "#src/features/providers/pull/WorkerPool.ts"
import { WorkerCalls } from "#src/features/providers/workers/WorkerCalls.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import * as TestNode from "#test/support/TestNode.ts"
import {
  model,
  brief,
  models,
  start,
  worker,
  endpoint,
  wait,
  claim,
  heartbeat,
  end,
  begin,
  told,
  jobOf,
  control,
  completions
} from "#test/support/src/features/providers/workers/LeaseNode.ts"
import * as Until from "#test/support/Until.ts"

describe("A worker that stops calling", () => {
  it.effect("loses its job, which runs again and is charged once", () =>
    Effect.gen(function* () {
      const node = yield* start("one")
      const { id, leaseId, me } = yield* node.on(begin())
      yield* TestClock.adjust("29 seconds")
      assert.strictEqual(yield* told(node.on(heartbeat(me, leaseId))), "Ok")
      yield* TestClock.adjust("29 seconds")
      assert.notInclude(yield* Facts.types(id), "RequestRequeued")
      yield* TestClock.adjust("1 second")
      const requeued = yield* node.on(Facts.untilType(id, "RequestRequeued"))
      assert.deepInclude(requeued, { attempt: 1, reason: "lost" })
      assert.strictEqual(yield* told(node.on(heartbeat(me, leaseId))), "LeaseLost")
      assert.strictEqual(yield* told(node.on(end(me, leaseId))), "LeaseLost")
      const again = yield* node.on(claim(me))
      yield* TestClock.adjust("1 second")
      const lease = yield* again
      assert.strictEqual(lease.job.attempt, 2)
      yield* node.on(end(me, lease.id))
      assert.strictEqual(yield* told(node.on(end(me, leaseId))), "LeaseLost")
      assert.deepStrictEqual(yield* completions(id), [2])
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("has the time in its model's binding", () =>
    Effect.gen(function* () {
      const node = yield* start("one")
      const { id, leaseId, me } = yield* node.on(begin(brief))
      assert.deepStrictEqual(yield* node.on(heartbeat(me, leaseId)), {
        leaseMs: 10_000,
        cancelRequested: false
      })
      yield* TestClock.adjust("10 seconds")
      yield* node.on(Facts.untilType(id, "RequestRequeued"))
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("gets no more time when the client has cancelled", () =>
    Effect.gen(function* () {
      const node = yield* start("one")
      const { id, leaseId, me } = yield* node.on(begin())
      yield* Effect.forkChild(node.on(Facts.cancel(id, model)))
      yield* node.on(Facts.untilType(id, "CancelRequested"))
      const beat = yield* Effect.repeat(node.on(heartbeat(me, leaseId)), {
        until: ({ cancelRequested }) => cancelRequested
      })
      assert.isTrue(beat.cancelRequested)
      yield* TestClock.adjust("29 seconds")
      yield* node.on(heartbeat(me, leaseId))
      assert.notInclude(yield* Facts.types(id), "RequestCancelled")
      yield* TestClock.adjust("1 second")
      yield* node.on(Facts.untilType(id, "RequestCancelled"))
      assert.strictEqual(yield* told(node.on(heartbeat(me, leaseId))), "LeaseLost")
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("because it stopped waiting uses up no attempt", () =>
    Effect.gen(function* () {
      const node = yield* start("one")
      const me = yield* node.on(worker)
      const { pollers } = yield* node.on(WorkerPool)
      // It leaves at the moment when it gets a job.
      const poller = pollers.join({ worker: me, models: null })
      const id = yield* node.on(Facts.submit({ model }))
      yield* poller.arrived
      const lease = poller.leave()
      assert.isNull(poller.leave())
      if (lease === null) return assert.fail("It was given no job")
      yield* node.on(Effect.map(WorkerCalls, ({ giveBack }) => giveBack(lease)))
      const requeued = yield* node.on(Facts.untilType(id, "RequestRequeued"))
      assert.deepInclude(requeued, { attempt: 1, reason: "rate_limited" })
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("because it has just disconnected does not get its job", () =>
    Effect.gen(function* () {
      const node = yield* start("one")
      const { pollers } = yield* node.on(WorkerPool)
      const waiting = yield* node.on(Effect.flatMap(worker, wait))
      const lease = yield* Lease.make("lease", jobOf(RequestId.make("r".repeat(21))), control)
      const isGiven = yield* pollers.withWorker(endpoint, (one) =>
        Effect.sync(() => {
          waiting.interruptUnsafe()
          return one.give(lease)
        })
      )
      assert.isFalse(isGiven)
      assert.strictEqual(pollers.room(endpoint), 0)
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("delays a run that looks for it only briefly", () =>
    Effect.gen(function* () {
      const node = yield* start("one")
      const { pollers } = yield* node.on(WorkerPool)
      const seeking = yield* Effect.forkChild(
        pollers.withWorker("test/pulled", () => Effect.succeed("found")),
        { startImmediately: true }
      )
      yield* TestClock.adjust("1 second")
      assert.isNull(yield* Fiber.join(seeking))
    }).pipe(Effect.provide(TestNode.storeLayer))
  )
})

describe("A worker whose node is restarted", () => {
  it.effect("is asked to wait, and its result counts for the one run", () =>
    Effect.gen(function* () {
      const first = yield* start("first")
      const { id, leaseId, me } = yield* first.on(begin())
      yield* first.stop
      // The new process's knowledge before it has searched for the runs of the old one.
      const idle = yield* TestNode.start({ name: "idle", models, pulls: true, dispatches: false })
      assert.strictEqual(yield* told(idle.on(heartbeat(me, leaseId))), "LeaseUnattended")
      assert.strictEqual(yield* told(idle.on(end(me, leaseId))), "LeaseUnattended")
      yield* idle.stop
      const second = yield* start("second")
      yield* second.on(Facts.untilType(id, "RunTakenOver"))
      yield* TestClock.adjust("29 seconds")
      assert.strictEqual(yield* told(second.on(heartbeat(me, leaseId))), "Ok")
      yield* TestClock.adjust("29 seconds")
      assert.strictEqual(yield* told(second.on(end(me, leaseId))), "Ok")
      assert.deepStrictEqual(yield* completions(id), [1])
      assert.lengthOf(Facts.ofType(yield* Facts.events(id), "DispatchStarted"), 1)
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("that reports its result again to the new node is answered with success", () =>
    Effect.gen(function* () {
      const first = yield* start("first")
      const { id, leaseId, me } = yield* first.on(begin())
      assert.strictEqual(yield* told(first.on(end(me, leaseId))), "Ok")
      yield* first.stop
      const second = yield* start("second")
      assert.strictEqual(yield* told(second.on(end(me, leaseId))), "Ok")
      assert.deepStrictEqual(yield* completions(id), [1])
    }).pipe(Effect.provide(TestNode.storeLayer))
  )
})

describe("A worker whose calls reach another node than its follower", () => {
  /** A job of `here`, and a node `there` that has seen it. */
  const onTwo = Effect.gen(function* () {
    const here = yield* start("here")
    const begun = yield* here.on(begin())
    const there = yield* TestNode.start({ name: "there", models, pulls: true, dispatches: false })
    return { ...begun, here, there }
  })

  it.effect("keeps its job", () =>
    Effect.gen(function* () {
      const { here, id, leaseId, me, there } = yield* onTwo
      for (let second = 0; second < 60; second += 10) {
        const progress = { fraction: second / 60, logs: [`second ${second}`] }
        assert.strictEqual(yield* told(there.on(heartbeat(me, leaseId, progress))), "Ok")
        // Within a third of the lease nothing more is recorded, and nothing is lost.
        assert.strictEqual(yield* told(there.on(heartbeat(me, leaseId))), "Ok")
        yield* here.on(Facts.untilType(id, "ProgressReported", second / 10 + 1))
        yield* TestClock.adjust("10 seconds")
      }
      const reports = Facts.ofType(yield* Facts.events(id), "ProgressReported")
      assert.deepStrictEqual(
        reports.map(({ fraction, logs }) => [fraction, ...logs]),
        Array.from({ length: 6 }, (_, index) => [index / 6, `second ${index * 10}`])
      )
      yield* TestClock.adjust("20 seconds")
      yield* here.on(Facts.untilType(id, "RequestRequeued"))
      assert.strictEqual(yield* told(there.on(heartbeat(me, leaseId))), "LeaseLost")
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("is told there that its chunks are not kept, and keeps its job", () =>
    Effect.gen(function* () {
      const { here, leaseId, me, there } = yield* onTwo
      const send = Effect.flatMap(WorkerCalls, (calls) =>
        calls.chunks(
          { worker: me, leaseId },
          { from: 0, chunks: [{ value: "a", scalar: null }], restart: false }
        )
      )
      const answer = yield* there.on(send)
      assert.deepStrictEqual(answer, {
        heard: { leaseMs: 30_000, cancelRequested: false },
        taken: { _tag: "Taken", next: null }
      })
      assert.strictEqual(yield* told(here.on(heartbeat(me, leaseId))), "Ok")
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("has its result recorded there, once", () =>
    Effect.gen(function* () {
      const { here, id, leaseId, me, there } = yield* onTwo
      assert.strictEqual(yield* told(there.on(end(me, leaseId))), "Ok")
      assert.deepStrictEqual(yield* completions(id), [1])
      const { lease } = yield* here.on(WorkerPool)
      yield* Until.until(
        "the end of the lease",
        Effect.sync(() => lease(leaseId)),
        (held) => held === undefined
      )
      assert.strictEqual(yield* told(here.on(end(me, leaseId))), "Ok")
      assert.deepStrictEqual(yield* completions(id), [1])
      assert.notInclude(yield* Facts.types(id), "LateOutcomeIgnored")
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("learns there that the client has cancelled", () =>
    Effect.gen(function* () {
      const { here, id, leaseId, me, there } = yield* onTwo
      yield* Effect.forkChild(here.on(Facts.cancel(id, model)))
      yield* here.on(Facts.untilType(id, "CancelRequested"))
      yield* Effect.repeat(there.on(heartbeat(me, leaseId)), {
        until: ({ cancelRequested }) => cancelRequested
      })
      assert.strictEqual(yield* told(there.on(end(me, leaseId, { _tag: "Stopped" }))), "Ok")
      assert.include(yield* Facts.types(id), "RequestCancelled")
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("continues with the new follower when the first one has crashed", () =>
    Effect.gen(function* () {
      const here = yield* start("here")
      const { id, leaseId, me } = yield* here.on(begin())
      yield* here.crash
      const heir = yield* start("heir")
      yield* heir.on(Facts.untilType(id, "RunTakenOver"))
      const ending = Effect.retry(heir.on(end(me, leaseId)), {
        while: ({ _tag }) => _tag === "LeaseUnattended"
      })
      assert.strictEqual(yield* told(ending), "Ok")
      assert.deepStrictEqual(yield* completions(id), [1])
    }).pipe(Effect.provide(TestNode.storeLayer))
  )
})
