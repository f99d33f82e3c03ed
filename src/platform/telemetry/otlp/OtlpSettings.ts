/**
 * OpenTelemetry's environment variables that are supported (opentelemetry.io, "SDK environment variables"). Not Effect's
 * `layerFromConfig`: it has no sampler, checks no range, and exports nothing unless `OTEL_*_EXPORTER` is set.
 */
import { Config, Option, Redacted, Schema } from "effect"
import * as Setting from "#src/kernel/settings/Setting.ts"

const HttpUrl = Schema.String.check(
  Schema.makeFilter((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ""), {
    expected: "an absolute http(s) URL"
  })
)

const endpoint = (name: string, defaultText: string, description: string, example: string) =>
  Setting.optional({
    name,
    config: (name) => Config.schema(HttpUrl, name),
    defaultText,
    description,
    accepts: "an `http` or `https` URL",
    example
  })

const otlpEndpoint = endpoint(
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "nothing is exported",
  "the OTLP/HTTP receiver of traces, metrics and logs; `/v1/traces` etc. is appended",
  "http://127.0.0.1:4318"
)

const signalEndpoint = (signal: "traces" | "metrics" | "logs") =>
  endpoint(
    `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_ENDPOINT`,
    `\`OTEL_EXPORTER_OTLP_ENDPOINT\` with \`/v1/${signal}\``,
    `OTLP/HTTP receiver of ${signal}, as it is`,
    `http://127.0.0.1:4318/v1/${signal}`
  )

const tracesEndpoint = signalEndpoint("traces")
const metricsEndpoint = signalEndpoint("metrics")
const logsEndpoint = signalEndpoint("logs")

const exporter = (signal: "traces" | "metrics" | "logs") =>
  Setting.make({
    name: `OTEL_${signal.toUpperCase()}_EXPORTER`,
    config: (name) => Config.Literals(["otlp", "none"], name),
    default: "otlp",
    description: `\`none\` exports no ${signal}`,
    accepts: "`otlp`, `none`",
    example: "none"
  })

const tracesExporter = exporter("traces")
const metricsExporter = exporter("metrics")
const logsExporter = exporter("logs")

const sdkDisabled = Setting.make({
  name: "OTEL_SDK_DISABLED",
  config: Config.Boolean,
  default: false,
  description: "disables all exports",
  accepts: "`true`, `false`",
  example: "true"
})

/** Percent-encoded `name=value` pairs. */
const pairs = (name: string) => Config.Record(Schema.String, Schema.StringFromUriComponent, name)

export const otlpHeaders = Setting.optional({
  name: "OTEL_EXPORTER_OTLP_HEADERS",
  config: (name) => Config.map(pairs(name), Redacted.make),
  defaultText: "none",
  description: "headers sent with each export, percent-encoded",
  accepts: "`name=value` pairs, separated by commas",
  example: "authorization=Bearer%20abc",
  isSecret: true
})

export const otlpProtocol = Setting.make({
  name: "OTEL_EXPORTER_OTLP_PROTOCOL",
  config: (name) => Config.Literals(["http/protobuf", "http/json"], name),
  default: "http/protobuf",
  description: "the encoding of exports; gRPC is not supported",
  accepts: "`http/protobuf`, `http/json`",
  example: "http/json"
})

export const otlpCompression = Setting.make({
  name: "OTEL_EXPORTER_OTLP_COMPRESSION",
  config: (name) => Config.Literals(["none", "gzip"], name),
  default: "none",
  description: "the compression of exports above 1 KB",
  accepts: "`none`, `gzip`",
  example: "gzip"
})

const Millis = Schema.Int.check(Schema.isBetween({ minimum: 10, maximum: 3_600_000 }))

const millis = (name: string, defaultMillis: number, description: string, example: string) =>
  Setting.make({
    name,
    config: (name) => Config.schema(Millis, name),
    default: defaultMillis,
    description,
    accepts: "10 to 3600000 ms",
    example
  })

export const otlpTimeout = millis(
  "OTEL_EXPORTER_OTLP_TIMEOUT",
  10_000,
  "the time limit of one export, ms",
  "5000"
)
export const tracesDelay = millis(
  "OTEL_BSP_SCHEDULE_DELAY",
  5_000,
  "the interval between exports of spans, ms",
  "1000"
)
export const logsDelay = millis(
  "OTEL_BLRP_SCHEDULE_DELAY",
  1_000,
  "the interval between exports of log entries, ms",
  "5000"
)
export const metricsInterval = millis(
  "OTEL_METRIC_EXPORT_INTERVAL",
  60_000,
  "the interval between exports of metrics, ms",
  "10000"
)

export const serviceName = Setting.optional({
  name: "OTEL_SERVICE_NAME",
  config: Config.NonEmptyString,
  defaultText: "`service.name` of `OTEL_RESOURCE_ATTRIBUTES`, or `inferlog`",
  description: "the name of this service in exports",
  accepts: "a name",
  example: "inferlog-eu"
})

export const resourceAttributes = Setting.optional({
  name: "OTEL_RESOURCE_ATTRIBUTES",
  config: pairs,
  defaultText: "none",
  description: "additional attributes of this service in exports, percent-encoded",
  accepts: "`name=value` pairs, separated by commas",
  example: "deployment.environment.name=production"
})

export const tracesSampler = Setting.make({
  name: "OTEL_TRACES_SAMPLER",
  config: (name) => Config.Literals(["parentbased_always_on", "parentbased_traceidratio"], name),
  default: "parentbased_always_on",
  description: "which traces are exported that begin here; other traces follow their caller's decision",
  accepts: "`parentbased_always_on`, `parentbased_traceidratio`",
  example: "parentbased_traceidratio"
})

const Share = Schema.Number.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

export const tracesSamplerArg = Setting.make({
  name: "OTEL_TRACES_SAMPLER_ARG",
  config: (name) => Config.schema(Share, name),
  default: 1,
  description: "the share of traces for `parentbased_traceidratio`",
  accepts: "0 to 1",
  example: "0.01"
})

export const all = [
  otlpEndpoint,
  tracesEndpoint,
  metricsEndpoint,
  logsEndpoint,
  sdkDisabled,
  tracesExporter,
  metricsExporter,
  logsExporter,
  otlpHeaders,
  otlpProtocol,
  otlpCompression,
  otlpTimeout,
  tracesDelay,
  logsDelay,
  metricsInterval,
  tracesSampler,
  tracesSamplerArg,
  serviceName,
  resourceAttributes
] satisfies ReadonlyArray<Setting.Setting<unknown>>

/** The URL of a signal; none when it is not exported. */
const target = (
  signal: "traces" | "metrics" | "logs",
  own: Setting.Setting<Option.Option<string>>,
  exporter: Setting.Setting<"otlp" | "none">
): Config.Config<Option.Option<string>> =>
  Config.map(
    Config.all([sdkDisabled.config, exporter.config, own.config, otlpEndpoint.config]),
    ([isDisabled, exporter, own, base]) =>
      isDisabled || exporter === "none"
        ? Option.none()
        : Option.orElse(own, () =>
            Option.map(base, (url) => `${url.endsWith("/") ? url : `${url}/`}v1/${signal}`)
          )
  )

export const targets = Config.all({
  traces: target("traces", tracesEndpoint, tracesExporter),
  metrics: target("metrics", metricsEndpoint, metricsExporter),
  logs: target("logs", logsEndpoint, logsExporter)
})
