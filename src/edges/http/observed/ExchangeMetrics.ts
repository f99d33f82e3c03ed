/** Counts and times the exchanges with clients. On the hot path: some 0.2 µs each. */
import { Context, Effect, Metric } from "effect"
import type { Exchange } from "../edge/Exchanges.ts"
import * as Families from "./Families.ts"

/** Where no route matched, a client may still say any method that HTTP has. */
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
