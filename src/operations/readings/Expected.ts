/** Reads how long runs take, and how long requests wait for them. */
import { Effect, Metric } from "effect"
import { Expectations } from "#src/catalog/Expectations.ts"
import { Catalog } from "#src/models/Catalog.ts"
import * as AllMetrics from "../metrics/AllMetrics.ts"

export const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const expectations = yield* Expectations
  return Effect.gen(function* () {
    for (const { model } of yield* catalog.all) {
      const { endpoint, expectedSeconds: told } = model
      const learned = expectations.of(endpoint)
      yield* Metric.update(AllMetrics.expectedSeconds.of(endpoint, "0.5"), learned?.p50Seconds ?? told)
      yield* Metric.update(AllMetrics.expectedSeconds.of(endpoint, "0.9"), learned?.p90Seconds ?? told)
      yield* Metric.update(AllMetrics.waitSeconds.of(endpoint), learned?.waitSeconds ?? 0)
    }
  })
})
