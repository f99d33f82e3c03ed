/** Reads depth and age of the queues. */
import { Effect, Metric } from "effect"
import * as QueueAge from "#projections/due-work/QueueAge.ts"
import { Catalog } from "#src/features/catalog/models/Catalog.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import * as Families from "./Families.ts"
import * as ModelSeries from "#src/features/catalog/ModelSeries.ts"

const millisPerSecond = 1_000

export const make = Effect.gen(function* () {
  const steady = yield* SteadyTime
  const catalog = yield* Catalog
  const queues = yield* QueueAge.make
  const series = yield* ModelSeries.make
  /** All models since the start, because requests of a withdrawn model still wait. */
  const shown = new Set<string>()
  return Effect.gen(function* () {
    const now = yield* steady.now
    const byModel = new Map(
      (yield* queues(now)).map((queue): readonly [string, typeof queue] => [queue.model, queue])
    )
    for (const entry of yield* catalog.all) {
      const { endpoint } = entry.model
      // Requests may wait from before the start.
      if (byModel.has(endpoint)) series.add(endpoint)
      if (ModelSeries.has(series, entry)) shown.add(endpoint)
    }
    for (const endpoint of shown) {
      const { oldestDueAt, queued } = byModel.get(endpoint) ?? { oldestDueAt: null, queued: 0 }
      const age = oldestDueAt === null ? 0 : (now - oldestDueAt) / millisPerSecond
      yield* Metric.update(Families.queueDepth.of(endpoint), queued)
      yield* Metric.update(Families.queueOldestAge.of(endpoint), age)
    }
  })
})
