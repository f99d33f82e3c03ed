/** Exports traces, metrics and logs over OTLP/HTTP if the settings name a receiver. Otherwise no spans are created. */
import { Duration, Effect, Layer, Option, Redacted, References, Tracer, Exit, Cause } from "effect"
import { TracerDisabledWhen } from "effect/http/HttpMiddleware"
import * as OtlpExporter from "effect/observability/OtlpExporter"
import * as OtlpLogger from "effect/observability/OtlpLogger"
import * as OtlpMetrics from "effect/observability/OtlpMetrics"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import { version } from "#src/kernel/program/ReleaseVersion.ts"
import * as OtlpSettings from "./OtlpSettings.ts"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import { otlpTimeout } from "./OtlpSettings.ts"

/** The most concurrent exports. More would only wait for a slow receiver. */
const most = 8

const makeExportClient = Effect.gen(function* () {
  const client = yield* HttpClient.HttpClient
  const timeout = yield* otlpTimeout.config
  let underWay = 0
  let isFailing = false

  const failed = (cause: Cause.Cause<unknown>) =>
    Effect.suspend(() => {
      if (isFailing || Cause.hasInterruptsOnly(cause)) return Effect.void
      isFailing = true
      return Effect.logWarning("Telemetry export failed; the data was dropped")
    })

  const succeeded = Effect.suspend(() => {
    if (!isFailing) return Effect.void
    isFailing = false
    return Effect.logInfo("Telemetry export works again")
  })

  return HttpClient.transform(client, (send) =>
    Effect.suspend(() => {
      // A defect is not retried: the exporter pauses and drops its data.
      if (underWay >= most) return Effect.die(new Error("too many exports at once"))
      underWay++
      return send.pipe(
        // Read here, so that an endless body has the same deadline.
        Effect.tap((response) => response.arrayBuffer),
        Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.die(new Error("no answer in time")) }),
        Effect.ensuring(Effect.sync(() => underWay--))
      )
    }).pipe(
      Effect.tapCause(failed),
      Effect.tap((response) => (response.status < 400 ? succeeded : failed(Cause.fail(response.status))))
    )
  )
})

const layerExportClient = Layer.effect(HttpClient.HttpClient, makeExportClient).pipe(
  Layer.provide(NodeHttpClient.layerUndici)
)

/** The route names the endpoint: paths, queries and the arguments of tools may contain credentials. */
const withheld: ReadonlySet<string> = new Set([
  "parameters",
  "url.full",
  "url.path",
  "url.query",
  "client.address",
  "user_agent.original"
])

const serverFailed = new Error("The server failed")
delete serverFailed.stack

/** @param share the sampled share of the traces that begin here, 0 to 1. */
const makeServerSpans = (tracer: Tracer.Tracer, share: number): Tracer.Tracer =>
  Tracer.make({
    span: (options) => {
      const isChosen = Option.isSome(options.parent) || share >= 1 || Math.random() < share
      const span = tracer.span({ ...options, sampled: options.sampled && isChosen })
      return options.kind === "server" ? discreet(span) : span
    }
  })

const discreet = (span: Tracer.Span): Tracer.Span => {
  const attribute = span.attribute.bind(span)
  const end = span.end.bind(span)
  span.attribute = (key, value) => {
    if (!withheld.has(key)) attribute(key, value)
  }
  // The failure of an answer contains the path.
  span.end = (endTime, exit) =>
    end(endTime, Exit.isFailure(exit) && !Exit.hasInterrupts(exit) ? Exit.fail(serverFailed) : exit)
  return span
}

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
  return makeServerSpans(yield* OtlpTracer.make({ ...(yield* common), url, exportInterval }), share)
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
    ).pipe(Layer.provide(OtlpExporter.layerFlusher), Layer.provide([serialization, layerExportClient]))
  })
)
