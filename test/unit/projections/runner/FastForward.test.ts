/** A projection of few streams is built without reading the whole log. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, References, Stream, Struct } from "effect"
import * as CatalogProjection from "#projections/catalog/CatalogProjection.ts"
import * as HistoryProjection from "#projections/history/HistoryProjection.ts"
import { Projections } from "#projections/Projections.ts"
import { EventReader, EventStoreError } from "#streams/EventReader.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import * as StreamName from "#streams/StreamName.ts"
import { model } from "#test/support/CatalogDefinitions.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as CatalogLog from "#test/support/projections/catalog/CatalogLog.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import * as RequestLog from "#test/support/projections/RequestLog.ts"

const quiet = Layer.succeed(References.MinimumLogLevel, "None")
const catalog = [CatalogProjection.projection]

const onLog = <A, E>(
  body: (file: (name: string) => string) => Effect.Effect<A, E, EventReader | EventStore>
) =>
  Effect.flatMap(TempDirectory.make, (directory) =>
    Effect.provide(
      body((name) => `${directory}/${name}.sqlite`),
      Layer.merge(SqliteEventStore.layer(directory), quiet)
    )
  )

/** Requests before, between and after the events of the catalog. */
const mixed = Effect.gen(function* () {
  yield* RequestLog.append(1, RequestLog.submitted(RequestLog.alice, RequestLog.echo, 0))
  yield* CatalogLog.lived
  yield* RequestLog.append(2, RequestLog.submitted(RequestLog.alice, RequestLog.echo, 0))
})

/** The usual way: the backend cannot find a category. */
const wholly = Effect.updateService(EventReader, (reader) => Struct.omit(reader, ["readCategories"]))

/** Neither follows new events nor reads the log from its beginning. */
const byCategoryAlone = Effect.updateService(EventReader, (reader) => ({
  ...reader,
  subscribe: () => Stream.never,
  readAll: (after) =>
    after === "0" ? Stream.fail(new EventStoreError({ reason: "Not here" })) : reader.readAll(after)
}))

describe("A projection whose events are in few streams", () => {
  it.live("has the rows and the checkpoint of a projection that has read the whole log", () =>
    onLog((file) =>
      Effect.gen(function* () {
        yield* mixed
        yield* byCategoryAlone(ReadSide.runOnce(file("fast"), catalog))
        yield* wholly(ReadSide.runOnce(file("slow"), catalog))
        assert.deepStrictEqual(ReadSide.dump(file("fast")), ReadSide.dump(file("slow")))
        // It continues from there, as from any checkpoint.
        yield* CatalogLog.offering("acme/late", {
          _tag: "ModelPublished",
          at: RequestLog.t0 + 50,
          source: "command",
          model: model("acme/late")
        })
        yield* ReadSide.runOnce(file("fast"), catalog)
        yield* wholly(ReadSide.runOnce(file("slow"), catalog))
        assert.deepStrictEqual(ReadSide.dump(file("fast")), ReadSide.dump(file("slow")))
      })
    )
  )

  it.live("does not wait for projections that are built from the beginning, and ends with them", () =>
    onLog((file) =>
      Effect.gen(function* () {
        yield* mixed
        const projections = [...catalog, HistoryProjection.projection]
        yield* ReadSide.runOnce(file("together"), projections)
        yield* wholly(ReadSide.runOnce(file("slow"), projections))
        assert.deepStrictEqual(ReadSide.dump(file("together")), ReadSide.dump(file("slow")))
      })
    )
  )

  it.live("stops at an event that it cannot apply, like any other", () =>
    onLog((file) =>
      Effect.gen(function* () {
        yield* mixed
        const { append } = yield* EventStore
        yield* append({
          stream: StreamName.make("Model", "acme/broken"),
          expected: ExpectedVersion.Any,
          events: [{ id: "broken", type: "ModelPublished", time: 0, data: {} }]
        })
        const broken = yield* (yield* EventReader).head
        const state = Effect.gen(function* () {
          const projections = yield* Projections
          yield* projections.waitFor(broken, { projection: "catalog", timeout: "20 seconds" })
          return (yield* projections.states).get("catalog")
        })
        const found = yield* Effect.provide(
          state,
          Projections.layerInProcess({ filename: file("broken"), projections: catalog })
        )
        assert.strictEqual(found?.stopped, true)
        assert.include(found?.reason ?? "", `position ${broken}`)
      })
    )
  )
})
