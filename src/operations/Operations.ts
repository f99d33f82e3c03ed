/** How whoever runs the server sees what it does: metrics, log and telemetry. The ground that all else is built on. */
import { Layer, Metric } from "effect"
import * as LogLevel from "#src/LogLevel.ts"
import { Lifecycle } from "./Lifecycle.ts"
import * as Health from "./health/Health.ts"
import * as PayloadDamages from "./health/PayloadDamages.ts"
import * as WalHealth from "./health/WalHealth.ts"
import { LogAllowance } from "./logs/LogAllowance.ts"
import * as LogFormat from "./logs/LogFormat.ts"
import * as AppendMetrics from "./metrics/AppendMetrics.ts"
import * as ConnectionMetrics from "./metrics/ConnectionMetrics.ts"
import * as ReaderMetrics from "./metrics/ReaderMetrics.ts"
import * as MetricsPage from "./MetricsPage.ts"
import * as ObservedExchanges from "./ObservedExchanges.ts"
import { Readings } from "./readings/Readings.ts"
import * as ExportedReadings from "./telemetry/ExportedReadings.ts"
import { SubmitSpans } from "./telemetry/SubmitSpans.ts"
import * as Telemetry from "./telemetry/Telemetry.ts"

/** Of this server alone: another one in the same process counts for itself. */
const registry = Layer.sync(Metric.MetricRegistry, () => new Map())

const observers = Layer.mergeAll(
  ObservedExchanges.layer,
  AppendMetrics.layer,
  ConnectionMetrics.layer,
  ReaderMetrics.layer
)

const health = Layer.provideMerge(Layer.merge(WalHealth.layer, PayloadDamages.layer), Health.layer)

/** Provided to everything: it is there first, and closed last. */
export const ground = Layer.mergeAll(observers, Lifecycle.layer, SubmitSpans.layer, health).pipe(
  Layer.provideMerge(LogAllowance.layer),
  Layer.provideMerge(Telemetry.layer),
  Layer.provideMerge(Layer.mergeAll(LogFormat.layer, LogLevel.layer, registry))
)

/** What `/metrics` and exports read of the running server. */
export const readings = Layer.mergeAll(MetricsPage.layer, ExportedReadings.layer).pipe(
  Layer.provide(Readings.layer)
)
