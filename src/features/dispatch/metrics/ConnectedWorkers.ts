/** Reads how many workers are connected to this node. */
import { Effect, Metric } from "effect"
import * as ModelSeries from "#src/features/catalog/ModelSeries.ts"
import { Catalog } from "#src/features/catalog/models/Catalog.ts"
import { WorkerPool } from "#src/features/providers/pull/WorkerPool.ts"
import * as Families from "./Families.ts"

export const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const { roster } = yield* WorkerPool
  const series = yield* ModelSeries.make
  /** All models since the start: the workers of a withdrawn model still work. */
  const shown = new Set<string>()
  return Effect.gen(function* () {
    for (const entry of yield* catalog.all) {
      const { model, runs } = entry
      if (!model.providers.some(({ adapter }) => adapter === "pull")) continue
      if (ModelSeries.has(series, entry) || roster.connected(runs) > 0) shown.add(runs)
    }
    for (const endpoint of shown) {
      yield* Metric.update(Families.workersConnected.of(endpoint), roster.connected(endpoint))
    }
  })
})
