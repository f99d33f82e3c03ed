/** Reads depth and age of the queues. */
import { Clock, Effect, Metric } from "effect"
import type { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import * as QueueAge from "#projections/due-work/QueueAge.ts"
import { Catalog } from "#src/models/Catalog.ts"
import * as AllMetrics from "../metrics/AllMetrics.ts"

const millisPerSecond = 1_000

export const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const queues = yield* QueueAge.make
  /** Whatever was in the catalog since the start: the requests of a model that has left it wait on. */
  const shown = new Set<ModelEndpoint>()
  return Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const byModel = new Map((yield* queues(now)).map((queue) => [queue.model, queue]))
    for (const { model } of yield* catalog.all) shown.add(model.endpoint)
    for (const endpoint of shown) {
      const { oldestDueAt, queued } = byModel.get(endpoint) ?? { oldestDueAt: null, queued: 0 }
      const age = oldestDueAt === null ? 0 : (now - oldestDueAt) / millisPerSecond
      yield* Metric.update(AllMetrics.queueDepth.of(endpoint), queued)
      yield* Metric.update(AllMetrics.queueOldestAge.of(endpoint), age)
    }
  })
})
