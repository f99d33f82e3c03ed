/** The page `/metrics`: all current metrics in Prometheus' text format 0.0.4. */
import { Context, Effect, Layer } from "effect"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import { Readings } from "./Readings.ts"

/** Updates the readings and formats all metrics. Without the layer it formats the registry as it is. */
export const MetricsPage = Context.Reference<Effect.Effect<string>>(
  "inferlog/src/platform/telemetry/MetricsPage",
  { defaultValue: () => PrometheusMetrics.format() }
)

export const contentType = "text/plain; version=0.0.4; charset=utf-8"

export const layer = Layer.effect(
  MetricsPage,
  Effect.gen(function* () {
    const context = yield* Effect.context<never>()
    const take = yield* Readings
    return Effect.map(take, () => PrometheusMetrics.formatUnsafe(context))
  })
)
