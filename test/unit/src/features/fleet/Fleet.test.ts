import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result, Stream } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import * as DueWorkProjection from "#projections/due-work/DueWorkProjection.ts"
import { Catalog } from "#src/features/catalog/models/Catalog.ts"
import * as BuiltinCatalog from "#src/features/catalog/models/BuiltinCatalog.ts"
import { Demand } from "#src/features/demand/Demand.ts"
import { Fleet, layer } from "#src/features/fleet/Fleet.ts"
import type { Node, Provider, Worker } from "#src/features/fleet/Reported.ts"
import { ProviderHealth } from "#src/features/provider-health/ProviderHealth.ts"
import { type HeardNode, NodeReports } from "#src/platform/cluster/NodeReports.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import * as RequestLog from "#test/support/projections/RequestLog.ts"
import { testModel } from "#test/support/TestModels.ts"

const report: typeof Node.Type = {
  release: "1.0.0",
  address: "gpu.internal:8080",
  isServing: true,
  reasons: [],
  runs: 0,
  models: [],
  projections: []
}

const heard = (
  name: string,
  parts: Readonly<Record<string, Json>>,
  more: Partial<HeardNode> = {}
): HeardNode => ({
  name,
  isSelf: false,
  isLive: true,
  startedAt: 0,
  heardAt: 0,
  parts,
  ...more
})

const base = testModel("test/base")
const models = [
  {
    ...base,
    model: { ...base.model, providers: [{ name: "gpu", adapter: "http", concurrency: 4 }] as const }
  }
]

/** The models are in the catalog no more. */
const withdrawn = Layer.effect(
  Catalog,
  Effect.map(Catalog, (known) => ({ ...known, all: Effect.succeed([]), find: () => Effect.succeed(null) }))
).pipe(Layer.provide(Layer.fresh(BuiltinCatalog.layerOf(models))))

/** Over what nodes have reported. `sent` collects the signals. */
const fleet = (nodes: ReadonlyArray<HeardNode>, sent: Array<string> = [], isWithdrawn = false) =>
  layer.pipe(
    Layer.provideMerge(Demand.layer),
    Layer.provideMerge([
      isWithdrawn ? withdrawn : BuiltinCatalog.layerOf(models),
      ProviderHealth.layer,
      ReadSide.layer
    ]),
    Layer.provide(
      Layer.succeed(NodeReports, {
        contribute: () => Effect.void,
        heard: () => nodes,
        signal: (text) => void sent.push(text),
        signals: Stream.never
      })
    )
  )

describe("The fleet", () => {
  it.effect("shows the state of each node", () =>
    Effect.gen(function* () {
      const nodes = yield* (yield* Fleet).nodes
      assert.deepStrictEqual(
        nodes.map(({ name, state }) => [name, state]),
        [
          ["gone", "gone"],
          ["old", "unknown"],
          ["new", "starting"],
          ["loading", "starting"],
          ["sick", "unwell"],
          ["well", "ready"]
        ]
      )
    }).pipe(
      Effect.provide(
        fleet([
          heard("gone", { node: report }, { isLive: false }),
          heard("old", {}),
          heard("new", { stuck: [] }),
          heard("loading", { node: { ...report, isServing: false } }),
          heard("sick", { node: { ...report, reasons: ["queue_stalled"] } }),
          // A later release may report more.
          heard("well", { node: { ...report, more: 1 } })
        ])
      )
    )
  )

  it.effect("shows workers of all nodes, and how many a report left out", () => {
    const worker: typeof Worker.Type = {
      keyId: "worker_1",
      id: "a",
      version: null,
      models: null,
      waiting: 0,
      jobs: 0,
      lastPollAt: 0,
      lastCallAt: 0
    }
    const list = [
      worker,
      { ...worker, waiting: 1 },
      { ...worker, jobs: 1 },
      { ...worker, lastCallAt: -10_000 }
    ]
    return Effect.gen(function* () {
      const { omitted, workers } = yield* (yield* Fleet).workers
      assert.strictEqual(omitted, 3)
      assert.deepStrictEqual(
        workers.map(({ node, state }) => [node, state]),
        [
          ["one", "between"],
          ["one", "waiting"],
          ["one", "working"],
          ["one", "gone"],
          ["two", "gone"]
        ]
      )
    }).pipe(
      Effect.provide(
        fleet([
          heard("one", { workers: { total: 7, list } }),
          heard("two", { workers: { total: 1, list: [{ ...worker, jobs: 1 }] } }, { isLive: false }),
          heard("odd", { workers: "?" })
        ])
      )
    )
  })

  it.effect(
    "shows the providers of the catalog on the live nodes, and resets one here and on the others",
    () => {
      const sent: Array<string> = []
      const gpu: typeof Provider.Type = {
        name: "gpu",
        circuit: "Open",
        failures: 5,
        nextTryAt: 5_000,
        pausedUntil: null,
        unreachable: null,
        lastError: { outcome: "lost", message: null, at: 0 },
        runs: 0,
        hasCredential: true
      }
      return Effect.gen(function* () {
        const known = yield* Fleet
        const providers = yield* known.providers
        assert.deepStrictEqual(providers, [
          {
            name: "gpu",
            adapters: ["http"],
            models: ["test/base"],
            concurrency: 4,
            nodes: [{ node: "one", report: gpu }]
          }
        ])
        yield* known.resetProvider("gpu")
        assert.deepStrictEqual(sent, ["reset provider gpu"])
        const refused = yield* Effect.result(known.resetProvider("other"))
        assert.strictEqual(Result.isFailure(refused) && refused.failure._tag, "ProviderNotFound")
      }).pipe(
        Effect.provide(
          fleet(
            [
              heard("one", { providers: [gpu, { ...gpu, name: "withdrawn" }] }),
              heard("two", { providers: [gpu] }, { isLive: false })
            ],
            sent
          )
        )
      )
    }
  )

  it.effect("shows and resets a provider of a withdrawn model whose requests still wait", () =>
    Effect.gen(function* () {
      yield* RequestLog.append(1, RequestLog.submitted(RequestLog.alice, base.model.endpoint))
      yield* ReadSide.settle(DueWorkProjection.projection.name)
      const { providers, resetProvider } = yield* Fleet
      assert.deepStrictEqual(
        (yield* providers).map(({ models, name }) => [name, models]),
        [["gpu", ["test/base"]]]
      )
      yield* resetProvider("gpu")
    }).pipe(Effect.provide(fleet([], [], true)))
  )

  it.effect("tells the demand for a model, also for one without requests", () =>
    Effect.gen(function* () {
      yield* RequestLog.append(1, RequestLog.submitted(RequestLog.alice, base.model.endpoint))
      yield* ReadSide.settle(DueWorkProjection.projection.name)
      const { demandOf } = yield* Fleet
      assert.deepStrictEqual(yield* demandOf("test/base"), {
        model: "test/base",
        demand: { queued: 1, running: 0 }
      })
      assert.deepStrictEqual((yield* demandOf("test/none")).demand, { queued: 0, running: 0 })
    }).pipe(Effect.provide(fleet([])))
  )
})
