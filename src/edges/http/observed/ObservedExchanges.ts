/** Counts and logs each exchange. */
import { Effect, Layer } from "effect"
import { Exchanges } from "../edge/Exchanges.ts"
import * as AccessLog from "./AccessLog.ts"
import * as ExchangeMetrics from "./ExchangeMetrics.ts"

export const layer = Layer.effect(
  Exchanges,
  Effect.gen(function* () {
    const count = yield* ExchangeMetrics.make
    const log = yield* AccessLog.make
    return (exchange) => {
      count(exchange)
      log(exchange)
    }
  })
)
