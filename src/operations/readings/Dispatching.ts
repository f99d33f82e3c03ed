/** Reads how many runs are under way, and how many may be. */
import { Effect, Metric } from "effect"
import { Catalog } from "#src/models/Catalog.ts"
import { Runs } from "#src/reactors/dispatch/Runs.ts"
import * as AllMetrics from "../metrics/AllMetrics.ts"

export const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const runs = yield* Runs
  return Effect.gen(function* () {
    for (const { model } of yield* catalog.all) {
      yield* Metric.update(AllMetrics.runsActive.of(model.endpoint), runs.count(model.endpoint))
      yield* Metric.update(AllMetrics.runsLimit.of(model.endpoint), model.concurrency)
    }
  })
})
