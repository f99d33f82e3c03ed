import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger, Stream } from "effect"
import { TestClock } from "effect/testing"
import { LiveStatus } from "#projections/live-status/LiveStatus.ts"
import { Projections } from "#projections/Projections.ts"
import { LiveHub } from "#src/features/requests/live/LiveHub.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import * as Log from "#test/support/projections/RequestLog.ts"

/** The first follower of the history fails. */
const breaking = Layer.effect(
  Projections,
  Effect.map(Projections, (projections) => {
    let followed = 0
    return Projections.of({
      ...projections,
      changes: (projection) =>
        Stream.suspend(() => (followed++ === 0 ? Stream.die("broken") : projections.changes(projection)))
    })
  })
)

const services = LiveHub.layer.pipe(
  Layer.provide(breaking),
  Layer.provide(Logger.layer([])),
  Layer.provideMerge(LiveStatus.layer),
  Layer.provideMerge(ReadSide.layer)
)

describe("LiveHub", () => {
  it.effect("follows the history again after a failure", () =>
    Effect.gen(function* () {
      const hub = yield* LiveHub
      yield* Log.append(1, Log.submitted(Log.alice, Log.echo))
      yield* ReadSide.settle("history")
      const listening = yield* Effect.forkScoped(
        hub.listen({
          wanted: { accountId: Log.alice, requestIds: null, models: null },
          place: 1,
          take: () => "full"
        }),
        { startImmediately: true }
      )
      yield* TestClock.adjust("1 second")
      yield* Log.append(2, Log.submitted(Log.alice, Log.echo))
      assert.strictEqual(yield* Fiber.join(listening), 2)
    }).pipe(Effect.provide(services), Effect.scoped)
  )
})
