/**
 * Providers and workers that are unreachable while requests arrive, and return only briefly.
 * @first It takes long, so at the end it would run alone.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as LogOnDisk from "#test/support/LogOnDisk.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import { figure } from "#test/support/attacks/Form.ts"
import {
  call,
  httpProvider,
  metric,
  prints,
  serving,
  statusOf,
  submit,
  until,
  untilStatus,
  workerKey
} from "#test/support/attacks/OneModel.ts"

const count = figure({ short: 40, long: 2_000 })

/** How long the worker is up between two outages, ms. */
const backMs = figure({ short: 2_000, long: 30_000 })

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

describe("D1: a provider that refuses connections", () => {
  it.live(
    "fails no request, shows what requests wait for, and serves all of them when it is back",
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
        for (const id of ids) yield* untilStatus(server, id, "COMPLETED")
        assert.isUndefined((yield* statusOf(server, first))["waiting_for"])
        assert.isAbove(up.connections(), 0)
        // Only requests that were claimed before the first refusal have a second claim.
        yield* Effect.promise(() => server.kill("SIGTERM"))
        const streams = yield* Effect.provide(LogOnDisk.eventsByStream, LogOnDisk.layer(dataDirectory))
        const claims = [...streams.values()].flat().filter(({ type }) => type === "DispatchStarted").length
        assert.isAtMost(claims, count + 3 * 8)
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "gets requests even if it is back only for a short time",
    () =>
      Effect.gen(function* () {
        const workerPort = yield* Effect.promise(() => ServerProcess.freePort())
        const { server } = yield* serving(httpProvider(workerPort))
        const before = yield* submit(server)
        yield* prints(server, "A provider cannot be reached")
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* worker(workerPort)
            // Probes are at most 5 s apart and take at most 5 s.
            yield* untilStatus(server, before, "COMPLETED")
            const within = yield* submit(server)
            yield* untilStatus(server, within, "COMPLETED")
            yield* Effect.sleep(backMs)
          })
        )
        const after = yield* submit(server)
        yield* until(Effect.map(statusOf(server, after), (body) => body["waiting_for"] === "provider_down"))
        yield* worker(workerPort)
        yield* untilStatus(server, after, "COMPLETED")
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "ends requests after the model's queueTimeout without a charge",
    () =>
      Effect.gen(function* () {
        const workerPort = yield* Effect.promise(() => ServerProcess.freePort())
        const { server } = yield* serving(
          httpProvider(workerPort),
          { queueTimeout: 2 },
          { SWEEP_INTERVAL: "1 second" }
        )
        const id = yield* submit(server)
        yield* untilStatus(server, id, "CANCELLED")
        const { cost, outcome } = yield* call(server, `/requests/${id}`)
        assert.deepStrictEqual([outcome, cost], ["expired", "0"])
        const { available, reserved } = yield* call(server, "/account/balance")
        assert.deepStrictEqual([available, reserved], ["1000000", "0"])
      }).pipe(Effect.scoped),
    120_000
  )
})

describe("D2: a model without workers", () => {
  it.live(
    "is reported in status, metric and log until a worker appears",
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
        assert.isTrue(yield* metric(server, 'inferlog_model_wait_seconds{model="acme/gpu"} +Inf'))
        assert.isTrue(yield* metric(server, 'inferlog_workers_connected{model="acme/gpu"} 0'))
        assert.isTrue(yield* metric(server, 'inferlog_model_demand{model="acme/gpu"} 1'))
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
        assert.isTrue(yield* metric(server, 'inferlog_workers_connected{model="acme/gpu"} 1'))
        yield* until(
          Effect.map(
            metric(server, 'inferlog_model_wait_seconds{model="acme/gpu"} +Inf'),
            (isEndless) => !isEndless
          )
        )
        // Its only worker is busy: this is a queue and not an outage.
        const next = yield* submit(server)
        assert.isUndefined((yield* statusOf(server, next))["waiting_for"])
        const lines = server.output().split("\n")
        assert.strictEqual(lines.filter((one) => one.includes("Requests wait for a worker")).length, 1)
      }).pipe(Effect.scoped),
    120_000
  )
})
