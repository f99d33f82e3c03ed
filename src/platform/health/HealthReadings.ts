/** Updates the metric of the reasons for which `/health` is 503. */
import { Effect, Metric } from "effect"
import { Health } from "./Health.ts"
import { reasons } from "./UnhealthyReasons.ts"
import * as Families from "./Families.ts"

export const make = Effect.gen(function* () {
  const health = yield* Health
  return Effect.gen(function* () {
    const holding = new Set<string>((yield* health.reasons).map(({ code }) => code))
    for (const code of Object.keys(reasons)) {
      yield* Metric.update(Families.healthReason.of(code), holding.has(code) ? 1 : 0)
    }
  })
})
