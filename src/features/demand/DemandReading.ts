/** Reads the demand of models. */
import { Effect, Metric } from "effect"
import * as ModelSeries from "#src/features/catalog/ModelSeries.ts"
import { Catalog } from "#src/features/catalog/models/Catalog.ts"
import { Demand, none } from "./Demand.ts"
import * as Families from "./Families.ts"

export const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const demand = yield* Demand
  const series = yield* ModelSeries.make
  /** All models since the start, because requests of a withdrawn model still wait. */
  const shown = new Set<string>()
  return Effect.gen(function* () {
    const all = yield* demand.all
    for (const { model, runs } of yield* catalog.all) {
      if (model.endpoint !== runs) continue
      // Requests may wait from before the start.
      if (all.has(runs)) series.add(runs)
      if (series.has(runs)) shown.add(runs)
    }
    for (const endpoint of shown) {
      const { queued, running } = all.get(endpoint) ?? none
      yield* Metric.update(Families.modelDemand.of(endpoint), queued + running)
    }
  })
})
