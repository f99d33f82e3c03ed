/** Counts and times exchanges. On the hot path: about 0.2 µs each. */
import { Context, Effect, Metric } from "effect"
import type { Exchange } from "../edge/Exchanges.ts"
import * as Families from "./Families.ts"

/** Other methods share one label, because a client may send any name. */
const plainMethods: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS"
])

const millisPerSecond = 1_000

export const make = Effect.gen(function* () {
  const context = Context.make(Metric.MetricRegistry, yield* Metric.MetricRegistry)
  return ({ durationMs, method, route, status }: Exchange): void => {
    const plain = plainMethods.has(method) ? method : "other"
    Families.httpRequests.of(route, plain, String(status)).updateUnsafe(1, context)
    Families.httpDuration.of(route, plain).updateUnsafe(durationMs / millisPerSecond, context)
  }
})
