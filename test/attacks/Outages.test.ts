/** Providers that are away while requests come in, and back for a short time only. */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import * as Receiver from "#test/src/outbound/Receiver.ts"
import * as LogOnDisk from "#test/support/LogOnDisk.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import { figure } from "./Form.ts"

const count = figure({ short: 40, long: 2_000 })

/** Any try that is used up fails the request for good. */
const manifest = (port: number) => ({
  kind: "model",
  name: "acme/gpu",
  displayName: "GPU",
  category: "utility",
  provider: { adapter: "http", url: `http://127.0.0.1:${port}/run` },
  concurrency: 8,
  retry: { retries: 0 },
  pricing: { unit: "request", unitPrice: "0.001" },
  inputSchema: { type: "object" },
  outputSchema: { type: "object" },
  exampleInput: {}
})

const headers = { ...ServerProcess.authorization, "content-type": "application/json" }

const call = (server: ServerProcess.ServerProcess, route: string, input?: object) =>
  Effect.promise(async () => {
    const response = await fetch(server.url + route, {
      headers,
      ...(input !== undefined && { method: "POST", body: JSON.stringify(input) })
    })
    return (await response.json()) as Readonly<Record<string, unknown>>
  })

const until = <R>(isSo: Effect.Effect<boolean, never, R>) =>
  isSo.pipe(
    Effect.repeat({ until: (found) => found, schedule: Schedule.spaced("100 millis") }),
    Effect.timeout("40 seconds")
  )

describe("D1: a provider that refuses connections", () => {
  it.live(
    "fails no request; all are served once it is back",
    () =>
      Effect.gen(function* () {
        const directory = yield* TempDirectory.make
        const models = path.join(directory, "models")
        const [port, workerPort] = yield* Effect.promise(() =>
          Promise.all([ServerProcess.freePort(), ServerProcess.freePort()])
        )
        fs.mkdirSync(models)
        fs.writeFileSync(path.join(models, "gpu.json"), JSON.stringify(manifest(workerPort)))
        const dataDirectory = path.join(directory, "data")
        const server = yield* Effect.acquireRelease(
          Effect.promise(() => ServerProcess.start({ dataDirectory, port, env: { MODELS_DIR: models } })),
          (server) => Effect.promise(() => server.kill("SIGKILL"))
        )
        yield* until(Effect.map(call(server, "/models/acme/gpu"), (body) => body["error"] === undefined))
        const ids = yield* Effect.forEach(
          Array.from({ length: count }, (_, index) => index),
          (index) => Effect.map(call(server, "/acme/gpu", { index }), (body) => String(body["request_id"])),
          { concurrency: 8 }
        )
        yield* until(Effect.sync(() => server.output().includes("A provider cannot be reached")))
        const statusOf = (id: string) =>
          Effect.map(call(server, `/acme/gpu/requests/${id}/status`), ({ status }) => status)
        for (const id of ids.slice(0, 10)) assert.strictEqual(yield* statusOf(id), "IN_QUEUE")
        const worker = yield* Receiver.http(
          (request, response) =>
            void request.resume().on("end", () => {
              response.writeHead(200, { "content-type": "application/json" })
              response.end(JSON.stringify({ status: "succeeded", output: {} }))
            }),
          { port: workerPort }
        )
        for (const id of ids) yield* until(Effect.map(statusOf(id), (status) => status === "COMPLETED"))
        assert.isAbove(worker.connections(), 0)
        // What was claimed before the first refusal was known, and nothing more.
        yield* Effect.promise(() => server.kill("SIGTERM"))
        const streams = yield* Effect.provide(LogOnDisk.eventsByStream, LogOnDisk.layer(dataDirectory))
        const claims = [...streams.values()].flat().filter(({ type }) => type === "DispatchStarted").length
        assert.isAtMost(claims, count + 3 * 8)
      }).pipe(Effect.scoped),
    120_000
  )
})
