import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as FirstDue from "#projections/due-work/FirstDue.ts"
import { ReadModels } from "#projections/ReadModels.ts"
import { stepsOf } from "#test/support/projections/QueryPlan.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import * as Log from "#test/support/projections/RequestLog.ts"

const { t0, alice, bob, echo, slow } = Log

describe("FirstDue", () => {
  it.live("returns when the first request of each queue is due, due or not", () =>
    Effect.gen(function* () {
      const queues = yield* FirstDue.make
      yield* Log.append(1, Log.submitted(alice, echo, t0 + 7))
      yield* Log.append(2, Log.submitted(bob, echo, t0 + 5))
      yield* Log.append(3, Log.submitted(alice, slow, t0), Log.dispatched(1), Log.requeued(1, t0 + 500))
      yield* ReadSide.settle("duework")
      assert.deepStrictEqual(yield* queues, [
        { model: echo, queued: 2, firstDueAt: t0 + 5 },
        { model: slow, queued: 1, firstDueAt: t0 + 500 }
      ])
      yield* Log.append(2, Log.dispatched(1))
      yield* Log.append(3, Log.dispatched(2))
      yield* ReadSide.settle("duework")
      assert.deepStrictEqual(yield* queues, [{ model: echo, queued: 1, firstDueAt: t0 + 7 }])
    }).pipe(Effect.provide(ReadSide.layer))
  )

  it.live("takes one index step per queue", () =>
    Effect.gen(function* () {
      const sql = yield* ReadModels
      assert.deepStrictEqual(yield* stepsOf(FirstDue.statement(sql)), [
        "SCAN duework_depth",
        "CORRELATED SCALAR SUBQUERY 1",
        "SEARCH duework_requests USING COVERING INDEX duework_by_due (model=?)"
      ])
    }).pipe(Effect.provide(ReadSide.layer))
  )
})
