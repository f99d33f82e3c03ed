/** Reads how long runs take, and how long requests wait for them. */
import { Effect, Metric } from "effect"
import { Expectations } from "#src/catalog/Expectations.ts"
import { Catalog } from "#src/models/Catalog.ts"
import * as AllMetrics from "../metrics/AllMetrics.ts"
import * as ModelSeries from "../metrics/ModelSeries.ts"

export const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const expectations = yield* Expectations
  const series = yield* ModelSeries.make
  return Effect.gen(function* () {
    for (const entry of yield* catalog.all) {
      if (!ModelSeries.has(series, entry)) continue
      const { model } = entry
      const { endpoint, expectedSeconds: told } = model
      const learned = expectations.of(endpoint)
      yield* Metric.update(AllMetrics.expectedSeconds.of(endpoint, "0.5"), learned?.p50Seconds ?? told)
      yield* Metric.update(AllMetrics.expectedSeconds.of(endpoint, "0.9"), learned?.p90Seconds ?? told)
      yield* Metric.update(AllMetrics.waitSeconds.of(endpoint), learned?.waitSeconds ?? 0)
    }
  })
})
