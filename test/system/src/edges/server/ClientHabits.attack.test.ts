/** Permitted behaviour of clients and workers that once made requests fail. */
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import { call, httpProvider, serving, statusOf, until, untilStatus } from "#test/support/attacks/OneModel.ts"

/** Runs for `seconds` of the input and returns the input's `file`. */
const worker = Receiver.http((request, response) => {
  let text = ""
  request.on("data", (chunk) => (text += chunk))
  request.on("end", () => {
    const { seconds = 0, file } = Object(JSON.parse(text)).input
    setTimeout(() => {
      response.writeHead(200, { "content-type": "application/json" })
      response.end(JSON.stringify({ output: file === undefined ? {} : { file } }))
    }, seconds * 1_000)
  })
})

const outputSchema = { type: "object", properties: { file: { type: "string", format: "uri" } } }

const env = { ALLOW_PRIVATE_TARGETS: "true", SWEEP_INTERVAL: "1 second" }

class Served extends Context.Service<Served, ServerProcess.ServerProcess>()("inferlog/test/ClientHabits") {
  /** One server for all tests of this file. */
  static readonly layer = Layer.effect(
    Served,
    Effect.gen(function* () {
      const { port } = yield* worker
      return (yield* serving(httpProvider(port), { outputSchema, timeoutSeconds: 60 }, env)).server
    })
  )
}

const header = (name: string, value: string) => ({ ...ServerProcess.authorization, [name]: value })

layer(Served.layer, { excludeTestServices: true })((it) => {
  describe("C2: a webhook receiver that answers 2xx and keeps sending", () => {
    it.effect(
      "counts as delivered, whatever follows the status line",
      () =>
        Effect.gen(function* () {
          const one = yield* Served
          const paths = new Map<string, number>()
          const { port } = yield* Receiver.http((request, response) => {
            const { url = "" } = request
            paths.set(url, (paths.get(url) ?? 0) + 1)
            request.resume()
            response.writeHead(url === "/hangs" ? 202 : 200)
            if (url === "/hangs") response.write("more to come")
            else response.end("x".repeat(70_000))
          })
          for (const path of ["/large", "/hangs"]) {
            const webhook = `http://127.0.0.1:${port}${path}`
            const { request_id: id } = yield* call(one, "/sandbox/echo", { value: 1, webhook })
            const list = call(one, `/webhooks/deliveries?requestId=${String(id)}`)
            yield* until(
              Effect.map(list, ({ data }) => {
                const [delivery] = Array.isArray(data) ? data : []
                return Object(delivery).status === "delivered"
              })
            )
            assert.strictEqual(paths.get(path), 1)
          }
        }).pipe(Effect.scoped),
      120_000
    )
  })

  describe("C3: behaviour of real clients", () => {
    it.effect(
      "a run that a worker has accepted counts as started and does not miss its start timeout",
      () =>
        Effect.gen(function* () {
          const one = yield* Served
          const inTime = header("x-request-start-timeout", "1")
          const { request_id: id } = yield* call(one, "/acme/gpu", { seconds: 2.5 }, inTime)
          yield* untilStatus(one, String(id), "IN_PROGRESS")
          assert.isNumber(Object((yield* statusOf(one, String(id)))["metrics"]).inference_time)
          yield* untilStatus(one, String(id), "COMPLETED")
        }).pipe(Effect.scoped),
      120_000
    )

    it.effect(
      "an output with a missing file ends the request within seconds, without a charge",
      () =>
        Effect.gen(function* () {
          const one = yield* Served
          const { port } = yield* Receiver.http((_, response) => response.writeHead(404).end())
          const file = `http://127.0.0.1:${port}/gone.png`
          const before = yield* call(one, "/account/balance")
          const { request_id: id } = yield* call(one, "/acme/gpu", { file })
          const read = call(one, `/requests/${String(id)}`)
          yield* until(Effect.map(read, ({ outcome }) => outcome === "provider_failed"))
          const { cost, error } = yield* read
          assert.strictEqual(cost, "0")
          assert.match(String(error), /It answered with status 404. Its place in the output is /)
          const { available, reserved } = yield* call(one, "/account/balance")
          assert.deepStrictEqual([available, reserved], [before["balance"], "0"])
        }).pipe(Effect.scoped),
      120_000
    )

    it.effect("wait accepts 1 to 60, in the header and in the query", () =>
      Effect.gen(function* () {
        const one = yield* Served
        const errorOf = (query: string, prefer?: string) =>
          Effect.map(
            call(
              one,
              `/sandbox/echo${query}`,
              { value: 1 },
              {
                ...ServerProcess.authorization,
                ...(prefer !== undefined && { prefer })
              }
            ),
            ({ error }) => error
          )
        for (const wait of ["0", "61", "-1", "1.5", ""]) {
          assert.include(JSON.stringify(yield* errorOf(`?wait=${wait}`)), "1 to 60", wait)
          if (wait !== "") assert.include(JSON.stringify(yield* errorOf("", `wait=${wait}`)), "1 to 60", wait)
        }
        assert.isNull((yield* call(one, "/sandbox/echo?wait=60", { value: 1 }))["error"])
        assert.isNull(yield* errorOf("", "wait=1"))
      }).pipe(Effect.scoped)
    )
  })
})
