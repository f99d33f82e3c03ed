import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema, Stream } from "effect"
import { Model } from "#domain/catalog/Model.ts"
import * as CatalogProjection from "#projections/catalog/CatalogProjection.ts"
import * as Queries from "#projections/catalog/CatalogQueries.ts"
import { CatalogRows } from "#projections/catalog/CatalogRows.ts"
import { ReadModels } from "#projections/ReadModels.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import { applyAll, cut } from "#test/support/projections/batch/Batch.ts"
import { stepsOf } from "#test/support/projections/QueryPlan.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import { t0 } from "#test/support/projections/RequestLog.ts"
import * as CatalogLog from "#test/support/projections/catalog/CatalogLog.ts"

const layer = CatalogRows.layer.pipe(Layer.provideMerge(ReadSide.layer))

const [first, second] = CatalogLog.flux
const encodeModel = Schema.encodeSync(Model)

const changedAfter = Effect.fnUntraced(function* (change: number) {
  yield* ReadSide.settle("catalog")
  return yield* (yield* CatalogRows).changedAfter(change)
})

describe("The rows of the catalog", () => {
  it.live(
    "hold the current state of each item, including withdrawn ones, in the order of their last changes",
    () =>
      Effect.gen(function* () {
        yield* CatalogLog.lived
        const rows = yield* changedAfter(0)
        assert.deepStrictEqual(
          rows.map(({ changed, createdAt, kind, name, status, updatedAt, version }) => [
            `${kind} ${name} ${status}`,
            version,
            [createdAt - t0, updatedAt - t0],
            changed
          ]),
          [
            ["model acme/flux active", first.version, [0, 4], 5],
            ["wrapper acme/logo active", CatalogLog.logo.version, [1, 6], 7],
            ["collection start withdrawn", null, [7, 8], 9],
            ["gpu rtx active", null, [9, 10], 11],
            ["deployment-template vllm active", null, [11, 11], 12],
            ["gpu old withdrawn", null, [12, 13], 14]
          ]
        )
        assert.deepStrictEqual(rows[0]?.definition, encodeModel(first))
      }).pipe(Effect.provide(layer))
  )

  it.live("report the changes since a change", () =>
    Effect.gen(function* () {
      yield* CatalogLog.lived
      const [flux] = yield* changedAfter(0)
      assert.isDefined(flux)
      assert.deepStrictEqual(yield* changedAfter(14), [])
      yield* CatalogLog.offering("acme/flux", { _tag: "ModelWithdrawn", at: t0 + 20 })
      const after = { ...flux, status: "withdrawn", updatedAt: t0 + 20, changed: 15 } as const
      assert.deepStrictEqual(yield* changedAfter(14), [after])
    }).pipe(Effect.provide(layer))
  )

  it.live("keep every published definition", () =>
    Effect.gen(function* () {
      yield* CatalogLog.lived
      yield* CatalogLog.offering("acme/flux", { _tag: "ModelWithdrawn", at: t0 + 20 })
      yield* ReadSide.settle("catalog")
      const { version } = yield* CatalogRows
      const of = (version: string) => ({ endpoint: "acme/flux", version })
      assert.deepStrictEqual(yield* version(of(first.version)), {
        kind: "model",
        definition: encodeModel(first)
      })
      assert.deepStrictEqual(yield* version(of(second.version)), {
        kind: "model",
        definition: encodeModel(second)
      })
      assert.isNull(yield* version(of("never published")))
      assert.isNull(yield* version({ endpoint: "acme/logo", version: first.version }))
    }).pipe(Effect.provide(layer))
  )

  it.live("are found by indexes, and no change in one step", () =>
    Effect.gen(function* () {
      const sql = yield* ReadModels
      const [changed, ...sorts] = yield* stepsOf(Queries.changedAfter(sql, 1))
      assert.match(String(changed), /^SEARCH catalog_items USING INDEX catalog_by_change \(changed>\?/)
      assert.deepStrictEqual(sorts, [])
      const [version] = yield* stepsOf(Queries.version(sql, { endpoint: "a/b", version: "1" }))
      assert.match(String(version), /^SEARCH catalog_versions USING INDEX \S+ \(endpoint=\? AND version=\?/)
    }).pipe(Effect.provide(layer))
  )

  it.live("are the same wherever the log is divided into batches", () =>
    Effect.gen(function* () {
      yield* CatalogLog.lived
      const events = yield* Stream.runCollect((yield* EventReader).readAll(GlobalPosition.beginning))
      const directory = yield* TempDirectory.make
      const dumps = [1, 2, 100].map((size) => {
        const filename = `${directory}/${size}.sqlite`
        assert.deepStrictEqual(applyAll(filename, [CatalogProjection.projection], cut(events, size)), [])
        const { catalog_items, catalog_versions } = ReadSide.dump(filename)
        return { catalog_items, catalog_versions }
      })
      assert.lengthOf(dumps[0]?.catalog_versions ?? [], 3)
      for (const dump of dumps) assert.deepStrictEqual(dump, dumps[0])
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})
