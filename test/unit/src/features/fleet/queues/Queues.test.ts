import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import * as DueWorkProjection from "#projections/due-work/DueWorkProjection.ts"
import { Expectations } from "#src/features/catalog/Expectations.ts"
import { Catalog } from "#src/features/catalog/models/Catalog.ts"
import * as BuiltinCatalog from "#src/features/catalog/models/BuiltinCatalog.ts"
import { Demand } from "#src/features/demand/Demand.ts"
import * as Fleet from "#src/features/fleet/Fleet.ts"
import { layer, Queues } from "#src/features/fleet/queues/Queues.ts"
import type { Node, Provider } from "#src/features/fleet/Reported.ts"
import { ProviderHealth } from "#src/features/provider-health/ProviderHealth.ts"
import { WaitingFor, worker } from "#src/features/provider-health/WaitingFor.ts"
import { NodeReports } from "#src/platform/cluster/NodeReports.ts"
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

const gpu: typeof Provider.Type = {
  name: "gpu",
  circuit: "Open",
  heldSince: 1_000,
  failures: 5,
  nextTryAt: 9_000,
  pausedUntil: null,
  unreachable: null,
  lastError: { outcome: "transport_error", message: "reset", at: 1_000 },
  runs: 0,
  hasCredential: true
}

const base = testModel("test/base")
const http = {
  ...base,
  model: { ...base.model, providers: [{ name: "gpu", adapter: "http" }] as const }
}
const other = testModel("test/pull")
const pull = {
  ...other,
  model: { ...other.model, providers: [{ name: "pool", adapter: "pull" }] as const }
}

const oldHttp = { ...http, model: { ...http.model, endpoint: testModel("test/old").model.endpoint } }
const oldPull = { ...pull, model: { ...pull.model, endpoint: testModel("test/old-pull").model.endpoint } }
const unknown = testModel("test/unknown").model.endpoint

/** Of which the first two are offered, and the next two withdrawn. */
const catalog = Layer.effect(
  Catalog,
  Effect.gen(function* () {
    const offered = yield* Effect.provide(Catalog, Layer.fresh(BuiltinCatalog.layerOf([http, pull])))
    const known = yield* Effect.provide(
      Catalog,
      Layer.fresh(BuiltinCatalog.layerOf([http, pull, oldHttp, oldPull]))
    )
    return { ...offered, lastOffered: known.find }
  })
)

const queues = (parts: Readonly<Record<string, Json>>) =>
  layer.pipe(
    Layer.provide(Fleet.layer),
    Layer.provideMerge([Demand.layer, Expectations.layerEmpty]),
    Layer.provideMerge([catalog, ProviderHealth.layer, ReadSide.layer]),
    Layer.provide(Layer.succeed(WaitingFor, (endpoint) => (endpoint === "test/pull" ? worker : null))),
    Layer.provide(
      Layer.succeed(NodeReports, {
        contribute: () => Effect.void,
        heard: () => [
          { name: "one", isSelf: true, isLive: true, startedAt: 0, heardAt: 0, parts },
          { name: "dead", isSelf: false, isLive: false, startedAt: 0, heardAt: 0, parts: {} }
        ],
        signal: () => undefined,
        signals: Stream.never
      })
    )
  )

describe("The queues", () => {
  it.effect("of models that wait come with their limits and reasons, the longest first", () =>
    Effect.gen(function* () {
      yield* RequestLog.append(1, RequestLog.submitted(RequestLog.alice, base.model.endpoint))
      yield* RequestLog.append(2, RequestLog.submitted(RequestLog.alice, base.model.endpoint))
      yield* RequestLog.append(3, RequestLog.submitted(RequestLog.bob, other.model.endpoint))
      yield* ReadSide.settle(DueWorkProjection.projection.name)
      const found = yield* (yield* Queues).list(false)
      assert.deepStrictEqual(
        found.map(({ model, queued, reasons }) => [model, queued, reasons[0]?.cause, reasons[0]?.provider]),
        [
          ["test/base", 2, "circuit_open", "gpu"],
          ["test/pull", 1, "no_worker", "pool"]
        ]
      )
      assert.deepInclude(found[0], {
        running: 0,
        concurrency: base.model.concurrency,
        providers: ["gpu"],
        firstDueAt: RequestLog.t0
      })
      assert.deepInclude(found[0]?.reasons[0], {
        since: 1_000,
        until: 9_000,
        detail: "transport_error: reset"
      })
    }).pipe(Effect.provide(queues({ node: report, providers: [gpu] })))
  )

  it.effect("include idle models only on demand", () =>
    Effect.gen(function* () {
      const { list } = yield* Queues
      assert.deepStrictEqual(yield* list(false), [])
      const all = yield* list(true)
      assert.deepStrictEqual(
        all.map(({ model, queued, reasons, waitSeconds }) => [model, queued, reasons.length, waitSeconds]),
        [
          ["test/base", 0, 0, 0],
          ["test/pull", 0, 0, 0]
        ]
      )
    }).pipe(Effect.provide(queues({ node: report })))
  )

  it.effect("of withdrawn models have the reasons of their last definition, and unknown ones say so", () =>
    Effect.gen(function* () {
      const submitted = [oldHttp.model.endpoint, oldPull.model.endpoint, unknown]
      for (const [index, model] of submitted.entries())
        yield* RequestLog.append(index + 1, RequestLog.submitted(RequestLog.alice, model))
      yield* ReadSide.settle(DueWorkProjection.projection.name)
      const found = yield* (yield* Queues).list(false)
      assert.deepStrictEqual(
        found.map(({ concurrency, isWithdrawn, model, reasons }) => [
          model,
          isWithdrawn,
          concurrency,
          reasons.map(({ cause, provider }) => [cause, provider])
        ]),
        [
          ["test/old", true, base.model.concurrency, [["circuit_open", "gpu"]]],
          ["test/old-pull", true, other.model.concurrency, [["no_worker", "pool"]]],
          ["test/unknown", true, null, [["model_unknown", null]]]
        ]
      )
    }).pipe(Effect.provide(queues({ node: report, providers: [gpu] })))
  )

  it.effect("wait for a node when none is ready", () =>
    Effect.gen(function* () {
      yield* RequestLog.append(1, RequestLog.submitted(RequestLog.alice, base.model.endpoint))
      yield* ReadSide.settle(DueWorkProjection.projection.name)
      const [queue] = yield* (yield* Queues).list(false)
      assert.deepStrictEqual(
        queue?.reasons.map(({ cause }) => cause),
        ["no_node"]
      )
    }).pipe(Effect.provide(queues({ node: { ...report, isServing: false } })))
  )
})
