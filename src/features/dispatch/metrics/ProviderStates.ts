/** Reads the state of the catalog's providers. */
import { Effect, Metric } from "effect"
import { Catalog, type CatalogEntry } from "#src/features/catalog/models/Catalog.ts"
import { ProviderHealth, type ProviderState } from "#src/features/provider-health/ProviderHealth.ts"
import { outcomes } from "#src/features/provider-health/RunOutcome.ts"
import * as ProviderLimits from "#src/features/providers/ProviderLimits.ts"
import { Runs } from "../Runs.ts"
import * as Families from "./Families.ts"
import * as ModelSeries from "#src/features/catalog/ModelSeries.ts"

const millisPerSecond = 1_000

const circuits: Readonly<Record<ProviderState["circuit"], number>> = { Closed: 0, HalfOpen: 1, Open: 2 }

/** Runs that all models of a provider may have together. A wrapper's runs count for its model. */
const togetherOf = (entries: ReadonlyArray<CatalogEntry>): ReadonlyMap<string, number> => {
  const sums = new Map<string, number>()
  for (const { model, runs } of entries) {
    if (model.endpoint !== runs) continue
    for (const { name } of model.providers) sums.set(name, (sums.get(name) ?? 0) + model.concurrency)
  }
  return sums
}

/** Only the increase is added. */
const risesOf = () => {
  const counted = new Map<string, number>()
  return (name: string, count: number): number => {
    const rise = count - (counted.get(name) ?? 0)
    counted.set(name, count)
    return rise
  }
}

export const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const health = yield* ProviderHealth
  const runs = yield* Runs
  const rise = risesOf()
  const series = yield* ModelSeries.make
  /** Only providers that had runs, as for models. */
  const begun = new Set<string>()
  return Effect.gen(function* () {
    const entries = yield* catalog.all
    const together = togetherOf(entries)
    for (const entry of entries) {
      if (!ModelSeries.has(series, entry)) continue
      for (const { name } of entry.model.providers) begun.add(name)
    }
    for (const [name, limit] of ProviderLimits.of(entries)) {
      if (!begun.has(name)) continue
      const { circuit, ended, pausedMs, pauses } = health.state(name)
      yield* Metric.update(Families.providerCircuit.of(name), circuits[circuit])
      yield* Metric.update(Families.providerPaused.of(name), pausedMs / millisPerSecond)
      yield* Metric.update(Families.providerPauses.of(name), rise(name, pauses))
      for (const outcome of outcomes) {
        const ends = rise(`${outcome} ${name}`, ended[outcome])
        yield* Metric.update(Families.providerRuns.of(name, outcome), ends)
      }
      yield* Metric.update(Families.providerRunsActive.of(name), runs.countOf(name))
      const most = Math.min(limit, together.get(name) ?? 0)
      yield* Metric.update(Families.providerRunsLimit.of(name), most)
    }
  })
})
