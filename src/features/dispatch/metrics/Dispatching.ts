/** Reads how many runs are under way and how many may be. */
import { Effect, Metric } from "effect"
import { Catalog } from "#src/features/catalog/models/Catalog.ts"
import { Runs } from "../Runs.ts"
import * as Families from "./Families.ts"
import * as ModelSeries from "#src/features/catalog/ModelSeries.ts"

export const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const runs = yield* Runs
  const series = yield* ModelSeries.make
  /** By model. A model that left the catalog may have runs, but begins no more. */
  const limits = new Map<string, number>()
  return Effect.gen(function* () {
    for (const endpoint of limits.keys()) limits.set(endpoint, 0)
    const entries = yield* catalog.all
    // Runs of a wrapper count for its model.
    for (const entry of entries) ModelSeries.has(series, entry)
    for (const { model, runs } of entries) {
      if (model.endpoint === runs && series.has(runs)) limits.set(runs, model.concurrency)
    }
    for (const [endpoint, limit] of limits) {
      yield* Metric.update(Families.runsActive.of(endpoint), runs.count(endpoint))
      yield* Metric.update(Families.runsLimit.of(endpoint), limit)
    }
  })
})
