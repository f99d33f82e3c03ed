/**
 * Exports traces, metrics and logs over OTLP/HTTP when the settings name a receiver. Otherwise no spans are created.
 */
import { Duration, Effect, Layer, Option, Redacted, References, Tracer } from "effect"
import { TracerDisabledWhen } from "effect/http/HttpMiddleware"
import * as OtlpExporter from "effect/observability/OtlpExporter"
import * as OtlpLogger from "effect/observability/OtlpLogger"
import * as OtlpMetrics from "effect/observability/OtlpMetrics"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import { version } from "#src/kernel/program/ReleaseVersion.ts"
import * as ExportClient from "./ExportClient.ts"
import * as OtlpSettings from "./OtlpSettings.ts"
import * as ServerSpans from "./ServerSpans.ts"

/** For the last export of each signal, in parallel: the whole process has two seconds (decisions). */
const shutdownTimeout = Duration.millis(300)

/** Creates no spans, whatever is exported. */
export const untraced = Layer.succeed(References.TracerEnabled, false)

/** Endpoints that are polled and whose spans are useless. */
const isPolled = (url: string): boolean => /^\/(health|metrics)($|\?)/.test(url)

const common = Effect.gen(function* () {
  const attributes = Option.getOrElse(yield* OtlpSettings.resourceAttributes.config, () => ({}))
  const named: { readonly "service.name"?: string } = attributes
  const serviceName = Option.getOrElse(
    yield* OtlpSettings.serviceName.config,
    () => named["service.name"] ?? "inferlog"
  )
  const headers = Option.getOrUndefined(Option.map(yield* OtlpSettings.otlpHeaders.config, Redacted.value))
  const compression = yield* OtlpSettings.otlpCompression.config
  const resource = { serviceName, serviceVersion: version, attributes }
  return { resource, compression, shutdownTimeout, headers }
})

const tracer = Effect.fnUntraced(function* (url: string) {
  const exportInterval = yield* OtlpSettings.tracesDelay.config
  const sampler = yield* OtlpSettings.tracesSampler.config
  const share = sampler === "parentbased_traceidratio" ? yield* OtlpSettings.tracesSamplerArg.config : 1
  return ServerSpans.make(yield* OtlpTracer.make({ ...(yield* common), url, exportInterval }), share)
})

const traces = (url: string) =>
  Layer.merge(
    Layer.effect(Tracer.Tracer, tracer(url)),
    Layer.succeed(TracerDisabledWhen, (request) => isPolled(request.url))
  )

const metrics = Effect.fnUntraced(function* (url: string) {
  const exportInterval = yield* OtlpSettings.metricsInterval.config
  return OtlpMetrics.layer({ ...(yield* common), url, exportInterval })
})

const logs = Effect.fnUntraced(function* (url: string) {
  const exportInterval = yield* OtlpSettings.logsDelay.config
  return OtlpLogger.layer({ ...(yield* common), url, exportInterval })
})

const serialization = Layer.unwrap(
  Effect.map(OtlpSettings.otlpProtocol.config, (protocol) =>
    protocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf
  )
)

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const targets = yield* OtlpSettings.targets
    if (Object.values(targets).every(Option.isNone)) return untraced
    return Layer.mergeAll(
      Option.match(targets.traces, { onNone: () => untraced, onSome: traces }),
      Option.match(targets.metrics, {
        onNone: () => Layer.empty,
        onSome: (url) => Layer.unwrap(metrics(url))
      }),
      Option.match(targets.logs, { onNone: () => Layer.empty, onSome: (url) => Layer.unwrap(logs(url)) })
    ).pipe(Layer.provide(OtlpExporter.layerFlusher), Layer.provide([serialization, ExportClient.layer]))
  })
)
