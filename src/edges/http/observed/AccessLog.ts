/** Writes a line for each 5xx and a sample of busy routes. Reporting neither waits for the line nor fails with it. */
import { Config, Effect, LogLevel, Queue, References, Schema } from "effect"
import type { Exchange } from "../edge/Exchanges.ts"
import * as Setting from "#src/kernel/settings/Setting.ts"
import { LogRateLimit } from "#src/platform/telemetry/logs/LogRateLimit.ts"

const Lines = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100_000 }))

export const logRequestsPerSecond = Setting.make({
  name: "LOG_REQUESTS_PER_SECOND",
  config: (name) => Config.schema(Lines, name),
  default: 10,
  description:
    "access log lines a second of each route; the others are counted, and server errors are logged beyond it",
  accepts: "0 to 100000",
  example: "100"
})

/** For the server errors of one route. */
const errorsPerSecond = 100

/** Exchanges waiting for their line. The log is written on the next turn of the event loop. */
const capacity = 1_000

const line = ({ correlationId, durationMs, method, route, status }: Exchange) =>
  Effect.annotateLogs(Effect.logInfo("HTTP request"), {
    request_id: correlationId,
    method,
    route,
    status,
    duration_ms: Math.round(durationMs * 1_000) / 1_000
  })

export const make = Effect.gen(function* () {
  const perSecond = yield* logRequestsPerSecond.config
  const allowance = yield* LogRateLimit
  const waiting = yield* Queue.dropping<Exchange>(capacity)
  const isOn = LogLevel.isGreaterThanOrEqualTo("Info", yield* References.MinimumLogLevel)

  yield* Effect.forkScoped(
    Effect.forever(Effect.flatMap(Queue.takeAll(waiting), Effect.forEach(line, { discard: true })))
  )

  const admits = ({ route, status }: Exchange): boolean =>
    status >= 500 ? allowance.admits(`5xx ${route}`, errorsPerSecond) : allowance.admits(route, perSecond)

  return (exchange: Exchange): void => {
    if (!isOn || !admits(exchange)) return
    if (!Queue.offerUnsafe(waiting, exchange)) allowance.leaveOut(exchange.route)
  }
})
