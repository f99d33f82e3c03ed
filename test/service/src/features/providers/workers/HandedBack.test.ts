/** Jobs that workers release, and late reports of workers. */
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
  hasty,
  start,
  succeeded,
  worker,
  claim,
  end,
  begin,
  told,
  jobOf,
  control
} from "#test/support/src/features/providers/workers/LeaseNode.ts"

describe("A worker that returns its job repeatedly", () => {
  it.effect("gets it again after a growing time, without counting an attempt", () =>
    Effect.gen(function* () {
      const node = yield* start("one")
      const me = yield* node.on(worker)
      const id = yield* node.on(Facts.submit({ model }))
      for (let times = 0; times < 4; times++) {
        const lease = yield* yield* node.on(claim(me))
        yield* node.on(
          Effect.flatMap(WorkerCalls, (calls) => calls.release({ worker: me, leaseId: lease.id }))
        )
        // After the longest delay.
        yield* TestClock.adjust("2 seconds")
      }
      const requeues = Facts.ofType(yield* Facts.events(id), "RequestRequeued")
      assert.deepStrictEqual(
        requeues.map(({ at, dueAt, reason }) => [reason, dueAt - at]),
        [250, 500, 1_000, 2_000].map((delay) => ["rate_limited", delay])
      )
      const other = yield* node.on(WorkerPool)
      assert.strictEqual(other.handedBack.again(RequestId.make("r".repeat(21))).retryAfterMs, 0)
    }).pipe(Effect.provide(TestNode.storeLayer))
  )
})

describe("A worker whose result comes too late", () => {
  it.effect("for the model's time limit receives LeaseLost, however often it asks", () =>
    Effect.gen(function* () {
      const node = yield* start("one")
      const { id, leaseId, me } = yield* node.on(begin(hasty))
      yield* TestClock.adjust("5 seconds")
      // Within the time that a run has to stop; the request has failed nonetheless.
      assert.strictEqual(yield* told(node.on(end(me, leaseId))), "LeaseLost")
      assert.strictEqual(yield* told(node.on(end(me, leaseId))), "LeaseLost")
      assert.include(yield* Facts.types(id), "RequestFailed")
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("because its lease has just expired receives LeaseLost", () =>
    Effect.gen(function* () {
      const ended = yield* Effect.gen(function* () {
        const lease = yield* Lease.make("lease", jobOf(RequestId.make("r".repeat(21))), control)
        const following = yield* Effect.forkChild(
          // It has ended, and its run does not know yet.
          Effect.tap(Lease.follow(lease, Effect.never), () => {
            pool.end(lease, "ended", succeeded)
            return Effect.void
          }),
          { startImmediately: true }
        )
        const pool = yield* WorkerPool
        yield* TestClock.adjust("30 seconds")
        assert.strictEqual((yield* Fiber.join(following))._tag, "Lost")
        return pool.over(lease.id)
      }).pipe(Effect.provide(WorkerPool.layer))
      assert.isUndefined(ended)
    })
  )
})
