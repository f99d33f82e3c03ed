import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Queue } from "effect"
import type { Event } from "#domain/inference-request/Event.ts"
import { LiveProgress } from "#src/features/requests/live/LiveProgress.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import { IdGenerator } from "#streams/IdGenerator.ts"
import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import * as Log from "#test/support/projections/RequestLog.ts"

const services = LiveProgress.layer.pipe(
  Layer.provide(RequestActors.layer),
  Layer.provide(SteadyTime.layer),
  Layer.provideMerge(Layer.merge(MemoryEventStore.layer, IdGenerator.layer))
)

const reported = (attempt: number): Event => ({
  _tag: "ProgressReported",
  at: Log.t0,
  attempt,
  fraction: 0.5,
  logs: []
})

const begun = [Log.submitted(Log.alice, Log.echo), Log.dispatched(1), Log.started(1)] as const

describe("LiveProgress", () => {
  it.effect("sends nothing about runs that are over, or have not restarted", () =>
    Effect.gen(function* () {
      const wanted = { accountId: Log.alice, requestIds: null, models: null }
      const reports = yield* (yield* LiveProgress).listen(wanted)
      yield* Log.append(1, ...begun, reported(1), Log.completed(1))
      yield* Log.append(2, ...begun, reported(1), Log.requeued(2, Log.t0))
      yield* Log.append(3, ...begun, reported(1))
      assert.deepStrictEqual(yield* Queue.take(reports), {
        accountId: Log.alice,
        requestId: Log.requestId(3),
        model: Log.echo,
        fraction: 0.5
      })
    }).pipe(Effect.provide(services), Effect.scoped)
  )
})
