/** How many requests wait for each model or run now, over all nodes: for autoscalers. */
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import * as DueWorkDemand from "#projections/due-work/Demand.ts"
import { Catalog, type CatalogEntry } from "#src/features/catalog/models/Catalog.ts"
import * as Memoize from "#src/kernel/async/Memoize.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"

export interface ModelDemand {
  /** Requests that wait for a run, due or not. */
  readonly queued: number
  /** Runs under way on all nodes. */
  readonly running: number
}

/** By the model that runs: requests of its wrappers count for it. */
export type AllDemand = ReadonlyMap<string, ModelDemand>

export const none: ModelDemand = { queued: 0, running: 0 }

/** How long a result is used again, ms; and, for large ones, in multiples of the time that the read took. */
const freshMs = 400
const shareOfOthers = 20

const basesOf = Memoize.memoize(
  (entries: ReadonlyArray<CatalogEntry>) =>
    new Map(entries.map(({ model, runs }): readonly [string, string] => [model.endpoint, runs]))
)

export class Demand extends Context.Service<
  Demand,
  {
    /** Of every model that ever had a request, as this node's read model shows it. Usually at most a second old. */
    readonly all: Effect.Effect<AllDemand, SqlError>
  }
>()("inferlog/src/features/demand/Demand") {
  static readonly layer = Layer.effect(
    Demand,
    Effect.gen(function* () {
      const catalog = yield* Catalog
      const read = yield* DueWorkDemand.make
      let known: { readonly all: AllDemand; readonly until: number } | null = null

      const all = Effect.gen(function* () {
        const before = yield* MonotonicTime.millis
        if (known !== null && before < known.until) return known.all
        const bases = basesOf(yield* catalog.all)
        const found = new Map<string, ModelDemand>()
        for (const { model, queued, running } of yield* read) {
          const base = bases.get(model) ?? model
          const other = found.get(base) ?? none
          found.set(base, { queued: other.queued + queued, running: other.running + running })
        }
        const now = yield* MonotonicTime.millis
        known = { all: found, until: now + Math.max(freshMs, (now - before) * shareOfOthers) }
        return known.all
      })

      return Demand.of({ all: Effect.withSpan(all, "Demand.all") })
    })
  )
}
