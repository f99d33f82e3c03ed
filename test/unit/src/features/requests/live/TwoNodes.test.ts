import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, References, type Scope } from "effect"
import * as HistoryProjection from "#projections/history/HistoryProjection.ts"
import { LiveStatus } from "#projections/live-status/LiveStatus.ts"
import { Projections } from "#projections/Projections.ts"
import { ReadModels } from "#projections/ReadModels.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import * as Log from "#test/support/projections/RequestLog.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

/** The read side of one of the nodes that share the log. */
const node: Effect.Effect<LiveStatus["Service"], unknown, EventReader | Scope.Scope> = Effect.gen(
  function* () {
    const reader = yield* EventReader
    const filename = `${yield* TempDirectory.make}/projections.sqlite`
    const services = LiveStatus.layer.pipe(
      Layer.provide(ReadModels.layer),
      Layer.provideMerge(
        Projections.layerInProcess({ filename, projections: [HistoryProjection.projection] })
      ),
      Layer.provide(Layer.succeed(References.MinimumLogLevel, "Warn"))
    )
    const context = yield* Layer.build(Layer.fresh(services))
    return yield* Effect.gen(function* () {
      yield* (yield* Projections).waitFor(yield* reader.head, {
        projection: "history",
        timeout: "20 seconds"
      })
      return yield* LiveStatus
    }).pipe(Effect.provide(context))
  }
)

describe("the changes of a shared log", () => {
  it.live("continue at another node from any event that one node has sent", () =>
    Effect.gen(function* () {
      const accounts = [Log.alice, Log.bob]
      for (let number = 1; number <= 12; number++) {
        yield* Log.append(number, Log.submitted(accounts[number % 2] ?? Log.alice, Log.echo))
        if (number % 3 === 0) yield* Log.append(number, Log.dispatched(1), Log.started(1))
      }
      const [one, other] = [yield* node, yield* node]
      for (const accountId of accounts) {
        const told = yield* one.after({ accountId, change: 0, limit: 100 })
        assert.strictEqual(told.length, 8)
        for (const [index, { position }] of told.entries()) {
          const change = yield* other.changeAt(position)
          const rest = yield* other.after({ accountId, change, limit: 100 })
          assert.deepStrictEqual(rest, told.slice(index + 1))
        }
      }
    }).pipe(Effect.provide(MemoryEventStore.layer), Effect.scoped)
  )
})
