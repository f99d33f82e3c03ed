/** `@inferlog/client/effect` against a server in this process. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted, Stream } from "effect"
import * as Inferlog from "#clients/typescript/effect/Client.ts"
import * as RunningServer from "#test/support/clients/RunningServer.ts"
import * as TestServer from "#test/support/TestServer.ts"

const clientOf = Effect.fnUntraced(function* (key: "key" | "poorKey") {
  const server = yield* TestServer.TestServer
  return yield* Inferlog.make({
    url: `${server.urls.baseUrl}/`,
    key: Redacted.make(server[key].replace("Key ", ""))
  })
}, Effect.provide(NodeHttpClient.layerNodeHttp))

const echo = { ownerName: "sandbox", modelName: "echo" }
const say = { ownerName: "sandbox", modelName: "stream" }

layer(RunningServer.layer, { excludeTestServices: true, timeout: 60_000 })("the client for Effect", (it) => {
  it.effect("submits, waits, reads the result, and lists the request", () =>
    Effect.gen(function* () {
      const { history, queue } = yield* clientOf("key")
      const submitted = yield* queue.submitRequest({
        params: echo,
        query: {},
        headers: { "x-request-metadata": JSON.stringify({ team: "blue" }), prefer: "wait" },
        payload: { value: { deep: [1, null] } }
      })
      assert.property(submitted, "id", "the answer of a submit that waited")
      const requestId = "id" in submitted ? submitted.id : submitted.request_id
      const params = { ...echo, requestId }
      const status = yield* queue.getRequestStatus({ params, query: {} })
      assert.strictEqual(status.status, "COMPLETED")
      const { cost, output } = yield* queue.getRequestResult({ params })
      assert.deepStrictEqual([output, cost], [{ value: { deep: [1, null] } }, "0.001"])
      const { data, total } = yield* history.listRequests({
        query: { limit: 10, status: "COMPLETED", "metadata.team": "blue" }
      })
      assert.deepStrictEqual([total, data[0]?.id, data[0]?.metadata], [1, requestId, { team: "blue" }])
      const none = yield* history.listRequests({ query: { "metadata.team": "red" } })
      assert.strictEqual(none.total, 0)
    })
  )

  it.effect("submits once, however often a call with its key is repeated", () =>
    Effect.gen(function* () {
      const { queue } = yield* clientOf("key")
      const submit = (headers: Readonly<Record<string, string>>) =>
        Effect.map(
          queue.submitRequest({ params: echo, query: {}, headers, payload: { value: 1 } }),
          (answer) => "request_id" in answer && answer.request_id
        )
      const key = { "idempotency-key": "effect-1" }
      const [first, again, other] = [yield* submit(key), yield* submit(key), yield* submit({})]
      assert.strictEqual(first, again)
      assert.notStrictEqual(first, other)
    })
  )

  it.effect("fails with tagged errors", () =>
    Effect.gen(function* () {
      const { queue } = yield* clientOf("key")
      const unknown = yield* Effect.flip(queue.getRequest({ params: { requestId: "rq000000000000000000_" } }))
      assert.strictEqual(unknown._tag, "NotFoundError")
      const invalid = yield* queue
        .submitRequest({ params: echo, query: {}, headers: {}, payload: {} })
        .pipe(Effect.catchTag("BadRequestError", (error) => Effect.succeed(error)))
      assert.deepInclude("issues" in invalid ? invalid.issues[0] : {}, { path: ["value"] })
      const poor = yield* clientOf("poorKey")
      const unpaid = yield* Effect.flip(
        poor.queue.submitRequest({ params: echo, query: {}, headers: {}, payload: { value: 1 } })
      )
      assert.strictEqual(unpaid._tag, "PaymentRequiredError")
      assert.strictEqual("details" in unpaid && unpaid.details.code, "INSUFFICIENT_BALANCE")
    })
  )

  it.effect("fails with the request that has ended without an output", () =>
    Effect.gen(function* () {
      const { queue } = yield* clientOf("key")
      const fail = { ownerName: "sandbox", modelName: "fail" }
      const submitted = yield* queue.submitRequest({
        params: fail,
        query: {},
        headers: { prefer: "wait" },
        payload: { message: "Out of order" }
      })
      const requestId = "id" in submitted ? submitted.id : ""
      const error = yield* Effect.flip(queue.getRequestStatus({ params: { ...fail, requestId }, query: {} }))
      assert.strictEqual(error._tag, "RequestOutcomeError")
      assert.strictEqual(error.message, "Out of order")
    })
  )

  it.effect("reads the events of an output", () =>
    Effect.gen(function* () {
      const { queue, streams } = yield* clientOf("key")
      const submitted = yield* queue.submitRequest({
        params: say,
        query: {},
        headers: {},
        payload: { text: "one two" }
      })
      const requestId = "request_id" in submitted ? submitted.request_id : ""
      const bytes = yield* streams.streamRequestOutput({
        params: { ...say, requestId },
        query: {},
        headers: {}
      })
      const events = yield* Stream.runCollect(Inferlog.Events.decode(Inferlog.Events.OutputEvent)(bytes))
      const text = events.map((event) => (event.event === "chunk" ? event.data : "")).join("")
      assert.strictEqual(text, "one two")
      assert.strictEqual(events.at(-1)?.event, "done")
    })
  )

  it.effect("reads the catalog, and writes and reads what lists have", () =>
    Effect.gen(function* () {
      const { account, catalog, keys, webhooks } = yield* clientOf("key")
      const { data } = yield* catalog.listModels({ query: { limit: 2 } })
      assert.lengthOf(data, 2)
      const { available } = yield* account.getBalance()
      assert.match(available, /^\d+(\.\d+)?$/)
      const created = yield* keys.createKey({ payload: { name: "effect", scopes: ["requests:read"] } })
      assert.deepStrictEqual(created.scopes, ["requests:read"])
      yield* keys.revokeKey({ params: { keyId: created.id } })
      assert.strictEqual((yield* webhooks.listDeliveries({ query: {} })).total, 0)
    })
  )
})
