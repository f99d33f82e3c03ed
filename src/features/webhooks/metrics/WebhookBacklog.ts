/** Reads how many webhooks wait, and how long the oldest is overdue. */
import { Effect, Metric } from "effect"
import { DueDeliveries } from "#projections/deliveries/DueDeliveries.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import * as Families from "./Families.ts"

const millisPerSecond = 1_000

export const make = Effect.gen(function* () {
  const due = yield* DueDeliveries
  const steady = yield* SteadyTime
  return Effect.gen(function* () {
    const now = yield* steady.now
    const { oldestDueAt, pending } = yield* due.backlog
    const age = oldestDueAt === null ? 0 : Math.max(now - oldestDueAt, 0) / millisPerSecond
    yield* Metric.update(Families.webhooksPending.of(), pending)
    yield* Metric.update(Families.webhookOldestAge.of(), age)
  })
})
