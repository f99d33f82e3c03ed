/** How an operator observes the server: metrics, log and telemetry. */
import { Layer, Metric } from "effect"
import * as LogLevel from "#src/kernel/settings/LogLevel.ts"
import { Lifecycle } from "#src/platform/telemetry/Lifecycle.ts"
import * as Health from "#src/platform/health/Health.ts"
import * as PayloadDamages from "#src/platform/health/PayloadDamages.ts"
import * as WalHealth from "#src/platform/health/WalHealth.ts"
import { LogRateLimit } from "#src/platform/telemetry/logs/LogRateLimit.ts"
import * as LogFormat from "#src/platform/telemetry/logs/LogFormat.ts"
import * as AppendMetrics from "#src/platform/telemetry/metrics/AppendMetrics.ts"
import * as ConnectionMetrics from "#src/edges/http/observed/ConnectionMetrics.ts"
import * as ReaderMetrics from "#src/edges/http/observed/ReaderMetrics.ts"
import * as MetricsPage from "#src/platform/telemetry/MetricsPage.ts"
import * as ObservedExchanges from "#src/edges/http/observed/ObservedExchanges.ts"
import * as AllReadings from "./metrics/AllReadings.ts"
import * as MetricExportReadings from "#src/platform/telemetry/otlp/MetricExportReadings.ts"
import { SubmitSpans } from "#src/features/dispatch/SubmitSpans.ts"
import * as Telemetry from "#src/platform/telemetry/otlp/Telemetry.ts"

/** A registry per server: several servers may run in one process. */
const registry = Layer.sync(Metric.MetricRegistry, () => new Map())

const observers = Layer.mergeAll(
  ObservedExchanges.layer,
  AppendMetrics.layer,
  ConnectionMetrics.layer,
  ReaderMetrics.layer
)

const health = Layer.provideMerge(Layer.merge(WalHealth.layer, PayloadDamages.layer), Health.layer)

/** The layers below all others. They are built first and closed last. */
export const ground = Layer.mergeAll(observers, Lifecycle.layer, SubmitSpans.layer, health).pipe(
  Layer.provideMerge(LogRateLimit.layer),
  Layer.provideMerge(Telemetry.layer),
  Layer.provideMerge(Layer.mergeAll(LogFormat.layer, LogLevel.layer, registry))
)

/** The readings for `/metrics` and exports. */
export const readings = Layer.mergeAll(MetricsPage.layer, MetricExportReadings.layer).pipe(
  Layer.provide(AllReadings.layer)
)
