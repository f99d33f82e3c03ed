import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Demand from "#projections/due-work/Demand.ts"
import { ReadModels } from "#projections/ReadModels.ts"
import { stepsOf } from "#test/support/projections/QueryPlan.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import * as Log from "#test/support/projections/RequestLog.ts"

const { t0, alice, echo, slow } = Log

describe("Demand", () => {
  it.live("counts the requests that wait and run, of every model that ever had one", () =>
    Effect.gen(function* () {
      const demand = yield* Demand.make
      yield* Log.append(1, Log.submitted(alice, echo))
      yield* Log.append(2, Log.submitted(alice, echo), Log.dispatched(1, t0, "node-2"))
      yield* Log.append(3, Log.submitted(alice, slow), Log.dispatched(1), Log.requeued(1, t0 + 500))
      yield* ReadSide.settle("duework")
      assert.deepStrictEqual(yield* demand, [
        { model: echo, queued: 1, running: 1 },
        { model: slow, queued: 1, running: 0 }
      ])

      yield* Log.append(1, Log.dispatched(1))
      yield* Log.append(2, Log.completed(1))
      yield* Log.append(3, Log.dispatched(2), Log.completed(2))
      yield* ReadSide.settle("duework")
      assert.deepStrictEqual(yield* demand, [
        { model: echo, queued: 0, running: 1 },
        { model: slow, queued: 0, running: 0 }
      ])
    }).pipe(Effect.provide(ReadSide.layer))
  )

  it.live("looks at the runs, and at no waiting request", () =>
    Effect.gen(function* () {
      const steps = yield* stepsOf(Demand.statement(yield* ReadModels, 10))
      assert.include(steps, "SCAN duework_depth")
      const ofRequests = steps.filter((step) => step.includes("duework_requests"))
      assert.deepStrictEqual(ofRequests, ["SCAN duework_requests USING INDEX duework_claimed"])
    }).pipe(Effect.provide(ReadSide.layer))
  )
})
