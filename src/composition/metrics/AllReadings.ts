/** Reads the metrics of every feature. A reading takes a few index lookups per model and projection. */
import { Effect, Layer, Metric } from "effect"
import { DeliveryFailed } from "#domain/webhook-delivery/Event.ts"
import { Catalog } from "#src/features/catalog/models/Catalog.ts"
import * as BackupReading from "#src/features/backup/BackupReading.ts"
import * as DemandFamilies from "#src/features/demand/Families.ts"
import * as DemandReading from "#src/features/demand/DemandReading.ts"
import * as ManifestsFamilies from "#src/features/manifests/Families.ts"
import * as RequestsFamilies from "#src/features/requests/metrics/Families.ts"
import * as WebhooksFamilies from "#src/features/webhooks/metrics/Families.ts"
import * as ModelSeries from "#src/features/catalog/ModelSeries.ts"
import * as Dispatching from "#src/features/dispatch/metrics/Dispatching.ts"
import * as ConnectedWorkers from "#src/features/dispatch/metrics/ConnectedWorkers.ts"
import * as HealthReadings from "#src/platform/health/HealthReadings.ts"
import * as Expected from "#src/features/dispatch/metrics/Expected.ts"
import * as ProcessUse from "#src/platform/telemetry/readings/ProcessUse.ts"
import { Readings } from "#src/platform/telemetry/Readings.ts"
import * as ProjectionLag from "#src/platform/health/ProjectionLag.ts"
import * as ProviderStates from "#src/features/dispatch/metrics/ProviderStates.ts"
import * as Queues from "#src/features/requests/metrics/Queues.ts"
import * as WebhookBacklog from "#src/features/webhooks/metrics/WebhookBacklog.ts"

/** Values of labels whose series start at 0, so that rates include the first event. */
const outcomes = [
  ["completed", "charged"],
  ["completed", "partial"],
  ["completed", "failed"],
  ["failed", "none"],
  ["cancelled", "none"]
] as const

const attemptResults = ["delivered", "timeout", "connection_failed", "http_4xx", "http_5xx", "lost"] as const
const failureReasons = DeliveryFailed.fields.reason.literals

const reasons = ["transport_error", "rate_limited", "unreachable", "lost", "shutdown"] as const

/** Starts the series of each model once, at the reading after its first request. */
const countModelsFromZero = Effect.gen(function* () {
  const catalog = yield* Catalog
  const series = yield* ModelSeries.make
  const begun = new Set<string>()
  return Effect.gen(function* () {
    for (const entry of yield* catalog.all) {
      const { model } = entry
      if (begun.has(model.endpoint) || !ModelSeries.has(series, entry)) continue
      begun.add(model.endpoint)
      yield* Metric.update(RequestsFamilies.requestsSubmitted.of(model.endpoint), 0)
      for (const [outcome, billing] of outcomes) {
        yield* Metric.update(RequestsFamilies.requestsEnded.of(model.endpoint, outcome, billing), 0)
      }
      for (const reason of reasons) {
        yield* Metric.update(RequestsFamilies.requestsRequeued.of(model.endpoint, reason), 0)
      }
    }
  })
})

const countWebhooksFromZero = Effect.gen(function* () {
  // Does not reset the count, because manifests may have been read before.
  yield* Metric.modify(ManifestsFamilies.manifestErrors.of(), 0)
  for (const result of attemptResults) yield* Metric.update(WebhooksFamilies.webhookAttempts.of(result), 0)
  yield* Metric.update(DemandFamilies.demandWebhooks.of("delivered"), 0)
  for (const reason of failureReasons) yield* Metric.update(WebhooksFamilies.webhooksFailed.of(reason), 0)
})

const logged = (reading: Effect.Effect<void, unknown>): Effect.Effect<void> =>
  Effect.catchCause(reading, (cause) => Effect.logWarning("A metric cannot be read", cause))

/** Logs a reading that fails. Its metrics stay as they were. */
export const layer = Layer.effect(
  Readings,
  Effect.gen(function* () {
    yield* countWebhooksFromZero
    const registry = yield* Metric.MetricRegistry
    const sources = [
      yield* countModelsFromZero,
      yield* Queues.make,
      yield* DemandReading.make,
      yield* WebhookBacklog.make,
      yield* Dispatching.make,
      yield* ProviderStates.make,
      yield* ConnectedWorkers.make,
      yield* Expected.make,
      yield* ProjectionLag.make,
      yield* HealthReadings.make,
      yield* BackupReading.make,
      yield* ProcessUse.make
    ]
    return Effect.forEach(sources, logged, { discard: true }).pipe(
      Effect.provideService(Metric.MetricRegistry, registry),
      Effect.withTracerEnabled(false)
    )
  })
)
