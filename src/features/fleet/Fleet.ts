/** The nodes, workers and providers of the whole log, as this node has heard of them. */
import { Clock, Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { Demand, type ModelDemand, none } from "#src/features/demand/Demand.ts"
import { Catalog } from "#src/features/catalog/models/Catalog.ts"
import * as ProviderLimits from "#src/features/providers/ProviderLimits.ts"
import { ProviderHealth } from "#src/features/provider-health/ProviderHealth.ts"
import { graceMs } from "#src/features/providers/pull/Roster.ts"
import { type HeardNode, NodeReports } from "#src/platform/cluster/NodeReports.ts"
import * as KnownEntries from "./KnownEntries.ts"
import * as Reported from "./Reported.ts"
import * as Signals from "./Signals.ts"
import type { NodeState, NodeView, ProviderView, WorkerState, WorkerView } from "./FleetViews.ts"
import { NoServerHere, ProviderNotFound } from "./FleetErrors.ts"

interface Known {
  readonly nodes: Effect.Effect<ReadonlyArray<NodeView>>
  /** Those of nodes that are gone included. `omitted`: workers that the nodes' reports left out. */
  readonly workers: Effect.Effect<{ readonly workers: ReadonlyArray<WorkerView>; readonly omitted: number }>
  readonly providers: Effect.Effect<ReadonlyArray<ProviderView>>
  /** Closes the circuit and ends the pause, here at once and on all other live nodes within moments. */
  readonly resetProvider: (name: string) => Effect.Effect<void, ProviderNotFound | NoServerHere>
  /** What waits and runs over all nodes; for a wrapper, of the model that runs. */
  readonly demandOf: (
    model: string
  ) => Effect.Effect<{ readonly model: string; readonly demand: ModelDemand }, SqlError | NoServerHere>
}

/** Without `layer`, as in a command without a server, there is nothing. */
export const Fleet = Context.Reference<Known>("inferlog/src/features/fleet/Fleet", {
  defaultValue: () => ({
    nodes: Effect.succeed([]),
    workers: Effect.succeed({ workers: [], omitted: 0 }),
    providers: Effect.succeed([]),
    resetProvider: () => Effect.fail(new NoServerHere()),
    demandOf: () => Effect.fail(new NoServerHere())
  })
})

const stateOf = (node: HeardNode, report: typeof Reported.Node.Type | null): typeof NodeState.Type => {
  if (!node.isLive) return "gone"
  if (report === null) return Object.keys(node.parts).length === 0 ? "unknown" : "starting"
  if (!report.isServing) return "starting"
  return report.reasons.length === 0 ? "ready" : "unwell"
}

const workerState = (
  { isLive }: HeardNode,
  worker: typeof Reported.Worker.Type,
  now: number
): typeof WorkerState.Type => {
  if (!isLive) return "gone"
  if (worker.jobs > 0) return "working"
  if (worker.waiting > 0) return "waiting"
  return now - worker.lastCallAt < graceMs ? "between" : "gone"
}

export const layer = Layer.effect(
  Fleet,
  Effect.gen(function* () {
    const catalog = yield* Catalog
    const demand = yield* Demand
    const health = yield* ProviderHealth
    const knownEntries = yield* KnownEntries.make
    const reports = yield* NodeReports

    const nodes = Effect.sync(() =>
      reports.heard().map((node): NodeView => {
        const { heardAt, isSelf, name, startedAt } = node
        const report = Reported.nodeOf(node)
        return { name, isSelf, state: stateOf(node, report), startedAt, heardAt, report }
      })
    )

    const workers = Effect.map(Clock.currentTimeMillis, (now) => {
      const found: Array<WorkerView> = []
      let omitted = 0
      for (const node of reports.heard()) {
        const { list, total } = Reported.workersOf(node) ?? { list: [], total: 0 }
        omitted += Math.max(total - list.length, 0)
        for (const worker of list)
          found.push({ node: node.name, state: workerState(node, worker, now), worker })
      }
      return { workers: found, omitted }
    })

    const offered = Effect.map(knownEntries, ({ offered, withdrawn }) => {
      const entries = [...offered, ...withdrawn]
      const found = new Map<string, { adapters: Set<string>; models: Set<string> }>()
      for (const { model } of entries)
        for (const { adapter, name } of model.providers) {
          const known = found.get(name) ?? { adapters: new Set(), models: new Set() }
          known.adapters.add(adapter)
          known.models.add(model.endpoint)
          found.set(name, known)
        }
      return { found, limits: ProviderLimits.of(entries) }
    })

    const providers = Effect.map(offered, ({ found, limits }) => {
      const heard = reports.heard().filter(({ isLive }) => isLive)
      const reported = heard.map((node) => ({ node: node.name, list: Reported.providersOf(node) ?? [] }))
      return [...found]
        .map(([name, { adapters, models }]): ProviderView => {
          const limit = limits.get(name) ?? Infinity
          return {
            name,
            adapters: [...adapters],
            models: [...models].sort(),
            concurrency: Number.isFinite(limit) ? limit : null,
            nodes: reported.flatMap(({ list, node }) =>
              list.filter((one) => one.name === name).map((report) => ({ node, report }))
            )
          }
        })
        .sort((a, b) => (a.name < b.name ? -1 : 1))
    })

    const resetProvider = Effect.fn("Fleet.resetProvider")(function* (name: string) {
      if (!(yield* offered).found.has(name)) return yield* new ProviderNotFound()
      health.reset(name)
      reports.signal(Signals.ofReset(name))
    })

    const demandOf = Effect.fn("Fleet.demandOf")(function* (endpoint: string) {
      const model = (yield* catalog.find(endpoint))?.runs ?? endpoint
      return { model, demand: (yield* demand.all).get(model) ?? none }
    })

    return { nodes, workers, providers, resetProvider, demandOf }
  })
)
