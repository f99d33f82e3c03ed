import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as AllMetrics from "#src/composition/metrics/AllMetrics.ts"
import { send } from "#test/support/HttpProbe.ts"
import { apiKey, authorization } from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as FreePort from "#bench/harness/FreePort.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
import * as InProcess from "#test/support/src/cli/InProcess.ts"
import * as AssistantV1 from "#test/support/src/edges/mcp/AssistantV1.ts"
import { signIn } from "#test/support/src/edges/mcp/FirstSteps.ts"
import * as OtlpReceiver from "#test/support/src/platform/telemetry/OtlpReceiver.ts"
import * as Until from "#test/support/Until.ts"

const canary = "canary-3f9a"
const traceId = "0af7651916cd43dd8448eb211c80319c"
const json = { ...authorization, "content-type": "application/json" }

const common = {
  BOOTSTRAP_API_KEY: apiKey,
  OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
  OTEL_BSP_SCHEDULE_DELAY: "50",
  OTEL_BLRP_SCHEDULE_DELAY: "50",
  OTEL_METRIC_EXPORT_INTERVAL: "50"
}

interface Served {
  readonly port: number
  /** Stops it, and returns how it ended. */
  readonly stop: Effect.Effect<Inferlog.Ended>
}

const serve = Effect.fnUntraced(function* (settings: Inferlog.Settings) {
  const DATA_DIR = yield* TempDirectory.make
  const { kill, url } = yield* Inferlog.serve({ DATA_DIR, ...common, ...settings })
  return { port: Number(new URL(url).port), stop: kill("SIGTERM") } satisfies Served
})

/** In this process, because most of a server's start is the start of a process. */
const serveHere = Effect.fnUntraced(function* (settings: Inferlog.Settings) {
  const DATA_DIR = yield* TempDirectory.make
  const port = yield* FreePort.find
  const env = { ...Inferlog.environment, DATA_DIR, PORT: String(port), ...common, ...settings }
  const { stop, until } = yield* Effect.acquireRelease(
    Effect.sync(() => InProcess.follow(["serve"], env)),
    ({ stop }) => Effect.promise(stop)
  )
  yield* Effect.promise(() => until(({ stdout }) => stdout.includes("inferlog serves at")))
  return { port, stop: Effect.promise(stop) } satisfies Served
})

const submit = (port: number, headers: Readonly<Record<string, string>> = {}) =>
  send(port, {
    method: "POST",
    path: "/sandbox/echo",
    headers: { ...json, ...headers },
    body: JSON.stringify({ value: canary })
  })

/** An assistant signs in and runs a model. */
const assist = (port: number) =>
  Effect.promise(async () => {
    const assistant = AssistantV1.make(`http://127.0.0.1:${port}`)
    await signIn(assistant, apiKey)
    const run = { modelEndpoint: "sandbox/echo", input: { value: canary } }
    assert.isFalse((await assistant.call("run_model", run)).isError)
    await assistant.close()
    secrets.push(assistant.login.current?.access_token ?? "", apiKey)
  })

const secrets: Array<string> = [canary]

const followed = { traceparent: `00-${traceId}-b7ad6b7169203331-01` }

const until = (holds: () => boolean) => Until.holds("what was sent", holds, holds, Until.processes)

const ended = ({ stop }: Served) =>
  Effect.gen(function* () {
    const start = performance.now()
    const { code, stderr } = yield* stop
    assert.strictEqual(code, 0, stderr)
    assert.isBelow(performance.now() - start, 2_000)
    return stderr
  })

describe("OTLP", () => {
  it.live("exports traces, metrics and logs, with a request's submit and run in its caller's trace", () =>
    Effect.gen(function* () {
      const receiver = yield* OtlpReceiver.make()
      const server = yield* serve({
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=a%20b",
        OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
        OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test"
      })
      const { json } = yield* submit(server.port, { ...followed, prefer: "wait=5" })
      const id = Object(json)["id"]
      yield* submit(server.port, followed)
      yield* send(server.port, { path: `/media/${canary}/name?${canary}` })
      yield* assist(server.port)
      yield* send(server.port, { path: "/health" })
      const ofRequest = (name: string) =>
        OtlpReceiver.spans(receiver).find(
          (span) => span.name === name && span.attributes["request_id"] === id
        )
      const accepted = () =>
        OtlpReceiver.spans(receiver).filter(
          (span) => span.name === "Requests.accept" && span.traceId === traceId
        )
      yield* until(() => accepted().length === 2)
      yield* until(() => ofRequest("Run") !== undefined && OtlpReceiver.metricNames(receiver).size >= 20)
      const stderr = yield* ended(server)

      const accept = ofRequest("Requests.accept")
      assert.deepInclude(accept, { traceId })
      assert.deepInclude(ofRequest("Run"), { traceId, parentSpanId: accept?.spanId })
      const spans = OtlpReceiver.spans(receiver)
      assert.deepInclude(
        spans.find(({ name, traceId: trace }) => name === "POST" && trace === traceId)?.attributes,
        { "http.route": "/:ownerName/:modelName", "http.response.status_code": 200 }
      )
      yield* until(() => OtlpReceiver.spans(receiver).some(({ name }) => name === "RunModel.call"))
      for (const secret of secrets) assert.notInclude(JSON.stringify(receiver.received), secret)
      assert.isFalse(spans.some(({ attributes }) => attributes["http.route"] === "/health"))
      // The dispatcher and the readings, which poll, start no traces.
      const begun = spans.filter(({ parentSpanId }) => parentSpanId === undefined).map(({ name }) => name)
      assert.notInclude(begun, "sqlite")
      assert.isFalse(begun.some((name) => name.startsWith("DueWork.")))

      const declared = new Set(AllMetrics.all.map(({ name }) => name))
      const exported = OtlpReceiver.metricNames(receiver)
      assert.isTrue([...exported].every((name) => declared.has(name)))
      assert.include([...exported], "inferlog_queue_depth")

      const messages = OtlpReceiver.logs(receiver).map(({ message }) => message)
      assert.includeMembers(messages, ["Listening", "HTTP request", "Stopped"])
      assert.include(stderr, "Stopped")

      for (const { headers, path } of receiver.received) {
        assert.oneOf(path, ["/v1/traces", "/v1/metrics", "/v1/logs"])
        assert.strictEqual(headers["x-tenant"], "a b")
      }
      for (const resource of OtlpReceiver.resources(receiver)) {
        assert.deepInclude(resource, {
          "service.name": "inferlog",
          "deployment.environment.name": "test"
        })
      }
    }).pipe(Effect.scoped)
  )

  it.live("starts a trace of its own for a plain submit, and exports only the enabled signals", () =>
    Effect.gen(function* () {
      const receiver = yield* OtlpReceiver.make()
      const server = yield* serveHere({
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/own`,
        OTEL_SERVICE_NAME: "inferlog-eu"
      })
      yield* submit(server.port)
      const found = (name: string) => OtlpReceiver.spans(receiver).find((span) => span.name === name)
      yield* until(() => found("Run") !== undefined && found("Requests.accept") !== undefined)
      yield* ended(server)
      assert.strictEqual(found("Run")?.traceId, found("Requests.accept")?.traceId)
      assert.isTrue(receiver.received.every(({ path }) => path === "/own"))
      assert.strictEqual(OtlpReceiver.resources(receiver)[0]?.["service.name"], "inferlog-eu")
    }).pipe(Effect.scoped)
  )

  it.live("exports nothing that is disabled, or dropped by the sampler", () =>
    Effect.gen(function* () {
      const receiver = yield* OtlpReceiver.make()
      const disabled = yield* serveHere({
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_SDK_DISABLED: "true"
      })
      const sampled = yield* serveHere({
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_METRICS_EXPORTER: "none",
        OTEL_LOGS_EXPORTER: "none",
        OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
        OTEL_TRACES_SAMPLER_ARG: "0"
      })
      for (const server of [disabled, sampled]) {
        yield* submit(server.port)
        yield* ended(server)
      }
      assert.deepStrictEqual(receiver.received, [])
    }).pipe(Effect.scoped)
  )

  it.live.each(["hangs", "stalls", "refuses"] as const)(
    "affects neither answers nor the exit when the receiver %s",
    (behaviour) =>
      Effect.gen(function* () {
        const receiver = yield* OtlpReceiver.make(behaviour)
        const server = yield* serveHere({
          OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
          OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf"
        })
        yield* submit(server.port)
        yield* until(() => new Set(receiver.received.map(({ path }) => path)).size === 3)
        const { status } = yield* submit(server.port, followed)
        assert.strictEqual(status, 200)
        const stderr = yield* ended(server)
        assert.strictEqual(stderr.includes("Telemetry export failed"), behaviour === "refuses")
      }).pipe(Effect.scoped)
  )

  it.live("works without a receiver, and logs a receiver that is too slow", () =>
    Effect.gen(function* () {
      const receiver = yield* OtlpReceiver.make("hangs")
      const late = yield* serveHere({
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_EXPORTER_OTLP_TIMEOUT: "10"
      })
      const absent = yield* serveHere({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" })
      yield* submit(late.port)
      yield* until(() => receiver.received.length >= 3)
      assert.strictEqual((yield* submit(absent.port, followed)).status, 200)
      yield* ended(absent)
      assert.include(yield* ended(late), "Telemetry export failed")
    }).pipe(Effect.scoped)
  )

  it.live("is rejected at start with the setting's name when a setting is wrong", () =>
    Effect.gen(function* () {
      const wrong = { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }
      const DATA_DIR = yield* TempDirectory.make
      const { code, stderr } = yield* Inferlog.run(["serve"], { DATA_DIR, ...wrong })
      assert.strictEqual(code, 1)
      for (const name of Object.keys(wrong)) assert.include(stderr, name)
      assert.notInclude(stderr, "collector")
    }).pipe(Effect.scoped)
  )
})
