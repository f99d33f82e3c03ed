/** Reads how long runs and waits take, and which models wait for an absent provider. */
import { Effect, Metric } from "effect"
import { Expectations } from "#src/features/catalog/Expectations.ts"
import { causes, WaitingFor } from "#src/features/provider-health/WaitingFor.ts"
import { Catalog } from "#src/features/catalog/models/Catalog.ts"
import * as Families from "./Families.ts"
import * as ModelSeries from "#src/features/catalog/ModelSeries.ts"

export const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const expectations = yield* Expectations
  const waitingFor = yield* WaitingFor
  const series = yield* ModelSeries.make
  return Effect.gen(function* () {
    for (const entry of yield* catalog.all) {
      if (!ModelSeries.has(series, entry)) continue
      const { model } = entry
      const { endpoint, expectedSeconds: told } = model
      const learned = expectations.of(endpoint)
      yield* Metric.update(Families.expectedSeconds.of(endpoint, "0.5"), learned?.p50Seconds ?? told)
      yield* Metric.update(Families.expectedSeconds.of(endpoint, "0.9"), learned?.p90Seconds ?? told)
      const cause = waitingFor(endpoint)?.cause ?? null
      for (const one of causes) {
        yield* Metric.update(Families.modelWaits.of(endpoint, one), one === cause ? 1 : 0)
      }
      // Until something can run the model again, no time is known.
      const isStuck = cause !== null || learned?.waitSeconds === null
      yield* Metric.update(
        Families.waitSeconds.of(endpoint),
        isStuck ? Infinity : (learned?.waitSeconds ?? 0)
      )
    }
  })
})
