/** Metrics that are read when somebody looks. A reading costs some steps in indexes for each model and projection. */
import { Context, Effect, Layer, Metric } from "effect"
import { DeliveryFailed } from "#domain/webhook-delivery/Event.ts"
import { Catalog } from "#src/features/catalog/models/Catalog.ts"
import * as AllMetrics from "#src/platform/telemetry/metrics/AllMetrics.ts"
import * as ModelSeries from "#src/features/catalog/ModelSeries.ts"
import * as Dispatching from "#src/features/dispatch/metrics/Dispatching.ts"
import * as HealthReasons from "#src/platform/telemetry/readings/HealthReasons.ts"
import * as Expected from "#src/features/dispatch/metrics/Expected.ts"
import * as ProcessUse from "#src/platform/telemetry/readings/ProcessUse.ts"
import * as ProjectionLag from "#src/platform/telemetry/readings/ProjectionLag.ts"
import * as ProviderStandings from "#src/features/dispatch/metrics/ProviderStandings.ts"
import * as Queues from "#src/features/requests/metrics/Queues.ts"
import * as WebhookBacklog from "#src/features/webhooks/metrics/WebhookBacklog.ts"

/** Series that are there from the start: what is counted from 0 can be compared. */
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

/** For each model once: others begin with the reading after their first request. */
const countModelsFromZero = Effect.gen(function* () {
  const catalog = yield* Catalog
  const series = yield* ModelSeries.make
  const begun = new Set<string>()
  return Effect.gen(function* () {
    for (const entry of yield* catalog.all) {
      const { model } = entry
      if (begun.has(model.endpoint) || !ModelSeries.has(series, entry)) continue
      begun.add(model.endpoint)
      yield* Metric.update(AllMetrics.requestsSubmitted.of(model.endpoint), 0)
      for (const [outcome, billing] of outcomes) {
        yield* Metric.update(AllMetrics.requestsEnded.of(model.endpoint, outcome, billing), 0)
      }
      for (const reason of reasons) {
        yield* Metric.update(AllMetrics.requestsRequeued.of(model.endpoint, reason), 0)
      }
    }
  })
})

const countWebhooksFromZero = Effect.gen(function* () {
  // The manifests may have been looked at before.
  yield* Metric.modify(AllMetrics.manifestErrors.of(), 0)
  for (const result of attemptResults) yield* Metric.update(AllMetrics.webhookAttempts.of(result), 0)
  for (const reason of failureReasons) yield* Metric.update(AllMetrics.webhooksFailed.of(reason), 0)
})

const logged = (reading: Effect.Effect<void, unknown>): Effect.Effect<void> =>
  Effect.catchCause(reading, (cause) => Effect.logWarning("A metric cannot be read", cause))

/** Takes all readings. One that fails is logged and leaves its metrics as they were. */
export class Readings extends Context.Service<Readings, Effect.Effect<void>>()(
  "inferlog/src/composition/Readings"
) {
  static readonly layer = Layer.effect(
    Readings,
    Effect.gen(function* () {
      yield* countWebhooksFromZero
      const registry = yield* Metric.MetricRegistry
      const sources = [
        yield* countModelsFromZero,
        yield* Queues.make,
        yield* WebhookBacklog.make,
        yield* Dispatching.make,
        yield* ProviderStandings.make,
        yield* Expected.make,
        yield* ProjectionLag.make,
        yield* HealthReasons.make,
        yield* ProcessUse.make
      ]
      return Effect.forEach(sources, logged, { discard: true }).pipe(
        Effect.provideService(Metric.MetricRegistry, registry),
        Effect.withTracerEnabled(false)
      )
    })
  )
}
