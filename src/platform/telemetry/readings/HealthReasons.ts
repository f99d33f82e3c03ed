/** Reads why `/health` is 503. */
import { Effect, Metric } from "effect"
import { Health } from "#src/platform/health/Health.ts"
import { reasons } from "#src/platform/health/Reasons.ts"
import * as AllMetrics from "../metrics/AllMetrics.ts"

export const make = Effect.gen(function* () {
  const health = yield* Health
  return Effect.gen(function* () {
    const holding = new Set<string>((yield* health.reasons).map(({ code }) => code))
    for (const code of Object.keys(reasons)) {
      yield* Metric.update(AllMetrics.healthReason.of(code), holding.has(code) ? 1 : 0)
    }
  })
})
