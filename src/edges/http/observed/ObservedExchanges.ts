/** Counts and logs each exchange. */
import { Effect, Layer, Context, Metric } from "effect"
import { Exchanges, type Exchange } from "../edge/Exchanges.ts"
import * as AccessLog from "./AccessLog.ts"
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

const makeExchangeMetrics = Effect.gen(function* () {
  const context = Context.make(Metric.MetricRegistry, yield* Metric.MetricRegistry)
  return ({ durationMs, method, route, status }: Exchange): void => {
    const plain = plainMethods.has(method) ? method : "other"
    Families.httpRequests.of(route, plain, String(status)).updateUnsafe(1, context)
    Families.httpDuration.of(route, plain).updateUnsafe(durationMs / millisPerSecond, context)
  }
})

export const layer = Layer.effect(
  Exchanges,
  Effect.gen(function* () {
    const count = yield* makeExchangeMetrics
    const log = yield* AccessLog.make
    return (exchange) => {
      count(exchange)
      log(exchange)
    }
  })
)
