/** The queue of each model with its limit, and why it waits: over all nodes, as this node has heard of them. */
import { Clock, Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import * as FirstDue from "#projections/due-work/FirstDue.ts"
import type { CatalogEntry } from "#src/features/catalog/models/Catalog.ts"
import { Expectations } from "#src/features/catalog/Expectations.ts"
import { Demand, none } from "#src/features/demand/Demand.ts"
import { WaitingFor } from "#src/features/provider-health/WaitingFor.ts"
import * as ProviderLimits from "#src/features/providers/ProviderLimits.ts"
import { NodeReports } from "#src/platform/cluster/NodeReports.ts"
import { Fleet } from "../Fleet.ts"
import * as KnownEntries from "../KnownEntries.ts"
import * as HeldUp from "./HeldUp.ts"
import * as Seen from "./Seen.ts"

export interface Queue {
  /** The model that runs; requests of its wrappers count for it. */
  readonly model: string
  readonly queued: number
  readonly running: number
  /** Whether it has left the catalog. Its accepted requests still run. */
  readonly isWithdrawn: boolean
  /** Runs that it may have over all nodes; `null` for a model that is not known. */
  readonly concurrency: number | null
  /** When the first of the waiting requests is due, or became due, Unix time in ms. */
  readonly firstDueAt: number | null
  /** The likely wait of a request submitted now, seconds; `null` if no run can begin, or if it is not known. */
  readonly waitSeconds: number | null
  /** Median of recent runs, seconds; `null` without enough runs. */
  readonly runSeconds: number | null
  readonly providers: ReadonlyArray<string>
  /** Why its requests wait, the first one first to see to. */
  readonly reasons: ReadonlyArray<HeldUp.Reason>
}

interface Known {
  /** Models with requests that wait or run, the longest queue first; with `all` also the rest of the catalog. */
  readonly list: (all: boolean) => Effect.Effect<ReadonlyArray<Queue>, SqlError>
}

/** Without `layer`, as in a command without a server, there are none. */
export const Queues = Context.Reference<Known>("inferlog/src/features/fleet/queues/Queues", {
  defaultValue: () => ({ list: () => Effect.succeed([]) })
})

/** The longest queue first, then the busiest model. */
const byNeed = (a: Queue, b: Queue): number =>
  b.queued - a.queued || b.running - a.running || (a.model < b.model ? -1 : 1)

export const layer = Layer.effect(
  Queues,
  Effect.gen(function* () {
    const demand = yield* Demand
    const expectations = yield* Expectations
    const firstDue = yield* FirstDue.make
    const fleet = yield* Fleet
    const knownEntries = yield* KnownEntries.make
    const reports = yield* NodeReports
    const waitingFor = yield* WaitingFor

    /** By the model that runs, when the first waiting request is due. */
    const dueTimes = Effect.fnUntraced(function* (entries: ReadonlyArray<CatalogEntry>) {
      const bases = new Map<string, string>(entries.map(({ model, runs }) => [model.endpoint, runs]))
      const found = new Map<string, number>()
      for (const { firstDueAt, model } of yield* firstDue) {
        const base = bases.get(model) ?? model
        if (firstDueAt !== null) found.set(base, Math.min(firstDueAt, found.get(base) ?? Infinity))
      }
      return found
    })

    const list = Effect.fn("Queues.list")(function* (all: boolean) {
      const { offered, withdrawn } = yield* knownEntries
      const entries = [...offered, ...withdrawn]
      const counts = yield* demand.all
      const due = yield* dueTimes(entries)
      const { workers } = yield* fleet.workers
      const now = yield* Clock.currentTimeMillis
      const live = reports.heard().filter(({ isLive }) => isLive)
      const nodes = live.map(Seen.node)
      const providers = Seen.providers(live, ProviderLimits.of(entries))
      const models = new Map<string, CatalogEntry>(
        offered.filter(({ model, runs }) => model.endpoint === runs).map((one) => [one.runs, one])
      )
      const gone = new Map<string, CatalogEntry>(withdrawn.map((one) => [one.model.endpoint, one]))

      const queueOf = (endpoint: string): Queue => {
        const isWithdrawn = !models.has(endpoint)
        const entry = models.get(endpoint) ?? gone.get(endpoint)
        const { queued, running } = counts.get(endpoint) ?? none
        const expected = expectations.of(endpoint)
        const firstDueAt = due.get(endpoint) ?? null
        const common = {
          model: endpoint,
          isWithdrawn,
          queued,
          running,
          firstDueAt,
          waitSeconds: expected?.waitSeconds ?? (expected === null && queued === 0 ? 0 : null),
          runSeconds: expected?.p50Seconds ?? null
        }
        if (entry === undefined) {
          return { ...common, concurrency: null, providers: [], reasons: HeldUp.ofUnknown(queued) }
        }
        const { concurrency, providers: bindings } = entry.model
        const facts = {
          queued,
          running,
          firstDueAt,
          concurrency,
          providers: bindings.map(providers),
          // `WaitingFor` has the models of the catalog only.
          hasWorker: isWithdrawn
            ? Seen.hasWorker(workers, entry.runs)
            : waitingFor(endpoint)?.cause !== "worker",
          idleWorkers: Seen.idleWorkers(workers, entry.runs)
        }
        return {
          ...common,
          concurrency,
          providers: bindings.map(({ name }) => name),
          reasons: HeldUp.ofQueue(facts, nodes, now)
        }
      }

      const busy = [...counts].flatMap(([endpoint, { queued, running }]) =>
        queued + running > 0 ? [endpoint] : []
      )
      const shown = new Set<string>(all ? [...busy, ...models.keys()] : busy)
      return Array.from(shown, queueOf).sort(byNeed)
    })

    return { list }
  })
)
