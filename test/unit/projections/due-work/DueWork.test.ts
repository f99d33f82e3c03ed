import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { AccountId } from "#domain/Ids.ts"
import { DueWork } from "#projections/due-work/DueWork.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import * as Log from "#test/support/projections/RequestLog.ts"

const { t0, alice, bob, carol, echo, slow } = Log

const next = Effect.fnUntraced(function* (limit: number, after: AccountId | null = null, now = t0) {
  const found = yield* (yield* DueWork).next({ model: echo, now, limit, after })
  return found.map(({ requestId }) => Number(requestId.slice(2)))
})

const test = (name: string, body: Effect.Effect<void, unknown, ReadSide.Services>) =>
  it.live(name, () => Effect.provide(body, ReadSide.layer))

describe("DueWork", () => {
  test(
    "holds a request from submit to its end, and counts the waiting ones",
    Effect.gen(function* () {
      const work = yield* DueWork
      yield* Log.append(1, Log.submitted(alice, echo))
      yield* Log.append(2, Log.submitted(alice, echo))
      yield* ReadSide.settle("duework")
      assert.deepStrictEqual(yield* next(10), [1, 2])
      assert.strictEqual(yield* work.depth(echo), 2)

      yield* Log.append(1, Log.dispatched(1))
      yield* ReadSide.settle("duework")
      assert.deepStrictEqual(yield* next(10), [2])
      assert.strictEqual(yield* work.depth(echo), 1)

      yield* Log.append(1, Log.started(1), Log.completed(1))
      yield* Log.append(2, { _tag: "CancelRequested", at: t0 }, cancelled)
      yield* ReadSide.settle("duework")
      assert.deepStrictEqual(yield* next(10), [])
      assert.deepStrictEqual(yield* work.claims({ after: null, limit: 10 }), [])
      assert.strictEqual(yield* work.depth(echo), 0)
    })
  )

  test(
    "returns a requeued request when it is due",
    Effect.gen(function* () {
      const work = yield* DueWork
      yield* Log.append(1, Log.submitted(alice, echo), Log.dispatched(1), Log.requeued(1, t0 + 500))
      yield* ReadSide.settle("duework")
      assert.deepStrictEqual(yield* next(10, null, t0 + 499), [])
      assert.deepStrictEqual(yield* work.dueModels(t0 + 499), [])
      assert.strictEqual(yield* work.nextDueAt(t0 + 499), t0 + 500)
      assert.deepStrictEqual(yield* next(10, null, t0 + 500), [1])
      assert.deepStrictEqual(yield* work.dueModels(t0 + 500), [echo])
      assert.isNull(yield* work.nextDueAt(t0 + 500))
      assert.strictEqual(yield* work.depth(echo), 1)
    })
  )

  test(
    "lists claimed runs page by page, and those that a client has cancelled",
    Effect.gen(function* () {
      const work = yield* DueWork
      for (const [number, node] of [
        [1, "node-1"],
        [2, "node-2"],
        [3, "node-1"]
      ] as const) {
        yield* Log.append(number, Log.submitted(alice, echo), Log.dispatched(1, t0, node))
      }
      yield* Log.append(3, { _tag: "ProviderAccepted", at: t0, attempt: 1, jobId: "job-3" })
      yield* Log.append(3, { _tag: "CancelRequested", at: t0 })
      yield* Log.append(2, { _tag: "CancelRequested", at: t0 })
      yield* ReadSide.settle("duework")

      const first = yield* work.claims({ after: null, limit: 2 })
      assert.deepStrictEqual(
        first.map(({ requestId, node, cancelRequested }) => ({ requestId, node, cancelRequested })),
        [
          { requestId: Log.requestId(1), node: "node-1", cancelRequested: false },
          { requestId: Log.requestId(2), node: "node-2", cancelRequested: true }
        ]
      )
      const third = {
        requestId: Log.requestId(3),
        accountId: alice,
        model: echo,
        attempt: 1,
        provider: "builtin",
        node: "node-1",
        jobId: "job-3",
        cancelRequested: true
      }
      assert.deepStrictEqual(yield* work.claims({ after: Log.requestId(2), limit: 2 }), [third])
      assert.deepStrictEqual(yield* work.cancelRequested({ node: "node-1", limit: 10 }), [third])
    })
  )

  test(
    "lists a run that was taken over, and its stop, under its current node",
    Effect.gen(function* () {
      const work = yield* DueWork
      yield* Log.append(1, Log.submitted(alice, echo), Log.dispatched(1, t0, "node-1"))
      yield* Log.append(1, { _tag: "ProviderAccepted", at: t0, attempt: 1, jobId: "job-1" })
      yield* Log.append(1, { _tag: "RunTakenOver", at: t0, attempt: 1, node: "node-2" })
      yield* Log.append(1, { _tag: "CancelRequested", at: t0 })
      yield* ReadSide.settle("duework")
      const [claim] = yield* work.claims({ after: null, limit: 2 })
      assert.deepInclude(claim, { node: "node-2", jobId: "job-1", attempt: 1 })
      assert.deepStrictEqual(yield* work.cancelRequested({ node: "node-1", limit: 10 }), [])
      assert.lengthOf(yield* work.cancelRequested({ node: "node-2", limit: 10 }), 1)
    })
  )

  test(
    "names the provider at which a run failed, but not one that gave its run back",
    Effect.gen(function* () {
      const work = yield* DueWork
      yield* Log.append(1, Log.submitted(alice, echo), Log.dispatched(1), Log.requeued(1, t0))
      yield* Log.append(2, Log.submitted(alice, echo), Log.dispatched(1), {
        _tag: "RequestRequeued",
        at: t0,
        attempt: 1,
        reason: "shutdown",
        message: null,
        dueAt: t0
      })
      yield* ReadSide.settle("duework")
      const found = yield* work.next({ model: echo, now: t0, limit: 2, after: null })
      assert.deepStrictEqual(
        found.map(({ failedAt, requestId }) => [requestId, failedAt]),
        [
          [Log.requestId(1), "builtin"],
          [Log.requestId(2), null]
        ]
      )
    })
  )

  test(
    "keeps models separate",
    Effect.gen(function* () {
      const work = yield* DueWork
      yield* Log.append(1, Log.submitted(alice, echo))
      yield* Log.append(2, Log.submitted(alice, slow, t0 + 10))
      yield* ReadSide.settle("duework")
      assert.deepStrictEqual(yield* next(10), [1])
      assert.deepStrictEqual(yield* work.dueModels(t0), [echo])
      assert.deepStrictEqual([...(yield* work.dueModels(t0 + 10))].sort(), [echo, slow])
      assert.strictEqual(yield* work.depth(slow), 1)
    })
  )

  test(
    "alternates between accounts, beginning after the one served last",
    Effect.gen(function* () {
      for (const number of [1, 2, 3, 4, 5]) yield* Log.append(number, Log.submitted(alice, echo))
      for (const number of [6, 7]) yield* Log.append(number, Log.submitted(bob, echo))
      yield* Log.append(8, Log.submitted(carol, echo))
      yield* ReadSide.settle("duework")
      assert.deepStrictEqual(yield* next(10), [1, 6, 8, 2, 7, 3, 4, 5])
      assert.deepStrictEqual(yield* next(10, alice), [6, 8, 1, 7, 2, 3, 4, 5])
      assert.deepStrictEqual(yield* next(4, alice), [6, 8, 1, 7])
      assert.deepStrictEqual(yield* next(2, bob), [8, 1])
      assert.deepStrictEqual(yield* next(6, carol), [1, 6, 8, 2, 7, 3])
    })
  )
})

const cancelled = { _tag: "RequestCancelled", at: t0, reason: "requested" } as const
