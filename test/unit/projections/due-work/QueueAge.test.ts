import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as QueueAge from "#projections/due-work/QueueAge.ts"
import { ReadModels } from "#projections/ReadModels.ts"
import { stepsOf } from "#test/support/projections/QueryPlan.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import * as Log from "#test/support/projections/RequestLog.ts"

const { t0, alice, bob, echo, slow } = Log

describe("QueueAge", () => {
  it.live("returns the depth and the oldest due time of each model", () =>
    Effect.gen(function* () {
      const queues = yield* QueueAge.make
      yield* Log.append(1, Log.submitted(alice, echo, t0))
      yield* Log.append(2, Log.submitted(bob, echo, t0 + 5))
      yield* Log.append(3, Log.submitted(alice, slow, t0), Log.dispatched(1), Log.requeued(1, t0 + 500))
      yield* ReadSide.settle("duework")
      assert.deepStrictEqual(yield* queues(t0 + 10), [
        { model: echo, queued: 2, oldestDueAt: t0 },
        { model: slow, queued: 1, oldestDueAt: null }
      ])

      yield* Log.append(1, Log.dispatched(1))
      yield* Log.append(2, Log.dispatched(1))
      yield* ReadSide.settle("duework")
      assert.deepStrictEqual(yield* queues(t0 + 500), [
        { model: echo, queued: 0, oldestDueAt: null },
        { model: slow, queued: 1, oldestDueAt: t0 + 500 }
      ])
    }).pipe(Effect.provide(ReadSide.layer))
  )

  it.live("takes one index step per model, whatever waits", () =>
    Effect.gen(function* () {
      const sql = yield* ReadModels
      assert.deepStrictEqual(yield* stepsOf(QueueAge.statement(sql, t0)), [
        "SCAN duework_depth",
        "CORRELATED SCALAR SUBQUERY 1",
        "SEARCH duework_requests USING COVERING INDEX duework_by_due (model=? AND due_at<?)"
      ])
    }).pipe(Effect.provide(ReadSide.layer))
  )
})
