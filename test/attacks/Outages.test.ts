/** Providers and workers that are away while requests come in, and back for a short time only. */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import * as Receiver from "#test/src/outbound/Receiver.ts"
import * as InProcess from "#test/src/cli/InProcess.ts"
import * as LogOnDisk from "#test/support/LogOnDisk.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import { figure } from "./Form.ts"

const count = figure({ short: 40, long: 2_000 })

/** How long the worker is back between two outages, ms. */
const backMs = figure({ short: 2_000, long: 30_000 })

/** Any try that is used up fails the request for good. */
const manifest = (provider: object) => ({
  kind: "model",
  name: "acme/gpu",
  displayName: "GPU",
  category: "utility",
  provider,
  concurrency: 8,
  retry: { retries: 0 },
  pricing: { unit: "request", unitPrice: "0.001" },
  inputSchema: { type: "object" },
  outputSchema: { type: "object" },
  exampleInput: {}
})

type Body = Readonly<Record<string, unknown>>

const call = (
  server: ServerProcess.ServerProcess,
  route: string,
  input?: object,
  headers: Readonly<Record<string, string>> = ServerProcess.authorization
) =>
  Effect.promise(async () => {
    const response = await fetch(server.url + route, {
      headers: { ...headers, "content-type": "application/json" },
      ...(input !== undefined && { method: "POST", body: JSON.stringify(input) })
    })
    const text = await response.text()
    return (text === "" ? {} : JSON.parse(text)) as Body
  })

const until = <R>(isSo: Effect.Effect<boolean, never, R>) =>
  isSo.pipe(
    Effect.repeat({ until: (found) => found, schedule: Schedule.spaced("100 millis") }),
    Effect.timeout("40 seconds")
  )

const prints = (server: ServerProcess.ServerProcess, text: string) =>
  until(Effect.sync(() => server.output().includes(text)))

const metric = (server: ServerProcess.ServerProcess, line: string) =>
  Effect.promise(async () => (await (await fetch(`${server.url}/metrics`)).text()).includes(line))

/** A server with one model, `acme/gpu`, at that provider. */
const serving = Effect.fnUntraced(function* (provider: object, more: object = {}, env = {}) {
  const directory = yield* TempDirectory.make
  const models = path.join(directory, "models")
  fs.mkdirSync(models)
  fs.writeFileSync(path.join(models, "gpu.json"), JSON.stringify({ ...manifest(provider), ...more }))
  const dataDirectory = path.join(directory, "data")
  const port = yield* Effect.promise(() => ServerProcess.freePort())
  const server = yield* Effect.acquireRelease(
    Effect.promise(() => ServerProcess.start({ dataDirectory, port, env: { MODELS_DIR: models, ...env } })),
    (server) => Effect.promise(() => server.kill("SIGKILL"))
  )
  yield* until(Effect.map(call(server, "/models/acme/gpu"), (body) => body["error"] === undefined))
  return { server, dataDirectory }
})

const httpProvider = (port: number) => ({ adapter: "http", url: `http://127.0.0.1:${port}/run` })

const submit = (server: ServerProcess.ServerProcess) =>
  Effect.map(call(server, "/acme/gpu", {}), (body) => String(body["request_id"]))

const statusOf = (server: ServerProcess.ServerProcess, id: string) =>
  call(server, `/acme/gpu/requests/${id}/status`)

const isStatus = (server: ServerProcess.ServerProcess, id: string, status: string) =>
  Effect.map(statusOf(server, id), (body) => body["status"] === status)

/** Answers each run at once, until the scope ends. */
const worker = (port: number) =>
  Receiver.http(
    (request, response) =>
      void request.resume().on("end", () => {
        response.writeHead(200, { "content-type": "application/json" })
        response.end(JSON.stringify({ status: "succeeded", output: {} }))
      }),
    { port }
  )

const workerKey = (dataDirectory: string) =>
  Effect.promise(async () => {
    const { code, stderr, stdout } = await InProcess.run(["workers", "create", "--name", "gpu-box"], {
      DATA_DIR: dataDirectory
    })
    assert.strictEqual(code, 0, stderr)
    return stdout.trim()
  })

describe("D1: a provider that refuses connections", () => {
  it.live(
    "fails no request, says what they wait for, and all are served once it is back",
    () =>
      Effect.gen(function* () {
        const workerPort = yield* Effect.promise(() => ServerProcess.freePort())
        const { dataDirectory, server } = yield* serving(httpProvider(workerPort))
        const ids = yield* Effect.forEach(Array.from({ length: count }), () => submit(server), {
          concurrency: 8
        })
        yield* prints(server, "A provider cannot be reached")
        const [first = ""] = ids
        yield* until(Effect.map(statusOf(server, first), (body) => body["waiting_for"] !== undefined))
        for (const id of ids.slice(0, 10)) {
          const { status, waiting_for, waiting_reason } = yield* statusOf(server, id)
          assert.deepStrictEqual(
            [status, waiting_for, waiting_reason],
            ["IN_QUEUE", "provider_down", "The provider refuses connections."]
          )
        }
        const { waitingFor, waitingReason } = yield* call(server, `/requests/${first}`)
        assert.deepStrictEqual(
          [waitingFor, waitingReason],
          ["provider_down", "The provider refuses connections."]
        )
        assert.isTrue(yield* metric(server, 'inferlog_model_waits{model="acme/gpu",cause="provider_down"} 1'))
        const up = yield* worker(workerPort)
        for (const id of ids) yield* until(isStatus(server, id, "COMPLETED"))
        assert.isUndefined((yield* statusOf(server, first))["waiting_for"])
        assert.isAbove(up.connections(), 0)
        // What was claimed before the first refusal was known, and nothing more.
        yield* Effect.promise(() => server.kill("SIGTERM"))
        const streams = yield* Effect.provide(LogOnDisk.eventsByStream, LogOnDisk.layer(dataDirectory))
        const claims = [...streams.values()].flat().filter(({ type }) => type === "DispatchStarted").length
        assert.isAtMost(claims, count + 3 * 8)
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "is used while it is back for a short time",
    () =>
      Effect.gen(function* () {
        const workerPort = yield* Effect.promise(() => ServerProcess.freePort())
        const { server } = yield* serving(httpProvider(workerPort))
        const before = yield* submit(server)
        yield* prints(server, "A provider cannot be reached")
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* worker(workerPort)
            // With probes up to 5 s apart, of which none is under way for longer.
            yield* until(isStatus(server, before, "COMPLETED"))
            const within = yield* submit(server)
            yield* until(isStatus(server, within, "COMPLETED"))
            yield* Effect.sleep(backMs)
          })
        )
        const after = yield* submit(server)
        yield* until(Effect.map(statusOf(server, after), (body) => body["waiting_for"] === "provider_down"))
        yield* worker(workerPort)
        yield* until(isStatus(server, after, "COMPLETED"))
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "ends what has waited for the model's queueTimeout, and charges nothing",
    () =>
      Effect.gen(function* () {
        const workerPort = yield* Effect.promise(() => ServerProcess.freePort())
        const { server } = yield* serving(
          httpProvider(workerPort),
          { queueTimeout: 2 },
          { SWEEP_INTERVAL: "1 second" }
        )
        const id = yield* submit(server)
        yield* until(isStatus(server, id, "CANCELLED"))
        const { cost, outcome } = yield* call(server, `/requests/${id}`)
        assert.deepStrictEqual([outcome, cost], ["expired", "0"])
        const { available, reserved } = yield* call(server, "/account/balance")
        assert.deepStrictEqual([available, reserved], ["1000000", "0"])
      }).pipe(Effect.scoped),
    120_000
  )
})

describe("D2: a model of workers that has none", () => {
  it.live(
    "says so in status, metric and log, until one comes",
    () =>
      Effect.gen(function* () {
        const { dataDirectory, server } = yield* serving({ adapter: "pull" })
        const id = yield* submit(server)
        yield* until(Effect.map(statusOf(server, id), (body) => body["waiting_for"] !== undefined))
        const { status, waiting_for, waiting_reason } = yield* statusOf(server, id)
        assert.deepStrictEqual(
          [status, waiting_for, waiting_reason],
          ["IN_QUEUE", "worker", "No worker asks for jobs of the model."]
        )
        const line = 'inferlog_model_waits{model="acme/gpu",cause="worker"}'
        assert.isTrue(yield* metric(server, `${line} 1`))
        yield* until(
          Effect.map(
            call(server, "/models/acme/gpu"),
            ({ expected }) => Object(expected).waitSeconds === null
          )
        )
        yield* prints(server, "Requests wait for a worker")
        const key = yield* workerKey(dataDirectory)
        const { job } = yield* call(server, "/workers/claim", { wait: 20 }, { authorization: `Key ${key}` })
        assert.strictEqual(Object(job).requestId, id)
        yield* prints(server, "A worker asks for jobs of the model again")
        assert.isTrue(yield* metric(server, `${line} 0`))
        // Its only worker is at work: that is a queue, and no outage.
        const next = yield* submit(server)
        assert.isUndefined((yield* statusOf(server, next))["waiting_for"])
        const lines = server.output().split("\n")
        assert.strictEqual(lines.filter((one) => one.includes("Requests wait for a worker")).length, 1)
      }).pipe(Effect.scoped),
    120_000
  )
})
