/** Keys for some models cannot access the requests of other models by any route. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { RequestId } from "#domain/Ids.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import * as BuiltinCatalog from "#src/features/catalog/models/BuiltinCatalog.ts"
import { testModel } from "#test/support/TestModels.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { accepted, assertEnvelope, call, jsonHeaders, submit } from "#test/support/src/edges/http/Calls.ts"
import * as Deliveries from "#test/support/src/edges/http/Deliveries.ts"
import * as GrantedKeys from "#test/support/src/edges/http/GrantedKeys.ts"
import { make } from "#test/support/src/edges/http/TokenCalls.ts"

const listed = Schema.decodeUnknownSync(
  Schema.Struct({ data: Schema.Array(Schema.Struct({ id: Schema.String })) })
)

/** Beside `sandbox/chat`, another model of OpenAI's API. */
const talk = testModel("test/talk", { serves: ["chat"] })
const catalog = BuiltinCatalog.layerOf([...BuiltinCatalog.builtinModels, talk])

const granted = GrantedKeys.issue({ modelEndpoints: [ModelEndpoint.make("sandbox/slow")] })

const notGranted = { code: "MODEL_NOT_GRANTED" }

const detailsOf = (json: unknown): unknown => Reflect.get(Object(json), "details")

const openaiErrorOf = (json: unknown): object => Object(Reflect.get(Object(json), "error"))

/** The ids of `GET /v1/models`. */
const listedTo = (headers: Readonly<Record<string, string>>) =>
  Effect.map(call({ path: "/v1/models", headers }), ({ json }) => listed(json).data.map(({ id }) => id))

layer(TestServer.layer({ catalog }), { excludeTestServices: true })("a key with granted models", (it) => {
  it.effect("submits to its model, and follows, cancels and erases its requests", () =>
    Effect.gen(function* () {
      const headers = yield* granted
      const reply = yield* submit({ seconds: 1 }, headers, "sandbox/slow")
      assert.strictEqual(reply.status, 200)
      const id = Reflect.get(Object(reply.json), "request_id")
      const path = `/sandbox/slow/requests/${id}`
      assert.strictEqual((yield* call({ path: `${path}/status`, headers })).status, 200)
      assert.strictEqual((yield* call({ path: `/requests/${id}`, headers })).status, 200)
      assert.strictEqual((yield* call({ path: `${path}/cancel`, headers })).status, 200)
      const erase = { method: "DELETE", path: `/requests/${id}/payloads`, headers }
      assert.strictEqual((yield* call(erase)).status, 204)
    })
  )

  it.effect("submits to no other model, existing or not, and is rejected before its body is read", () =>
    Effect.gen(function* () {
      const headers = yield* granted
      const replies = [
        yield* submit({ value: 1 }, headers),
        yield* submit({ value: 1 }, headers, "nobody/nothing"),
        yield* submit({ value: 1 }, { ...headers, "content-type": "text/plain" }),
        yield* submit({ value: 1 }, { ...headers, "idempotency-key": "again" })
      ]
      for (const reply of replies) {
        assertEnvelope(reply, 403)
        assert.deepStrictEqual(detailsOf(reply.json), notGranted)
      }
      const announced = { ...headers, ...jsonHeaders, "content-length": "1000000" }
      assertEnvelope(yield* call({ method: "POST", path: "/sandbox/echo", headers: announced }), 403)
    })
  )

  it.effect("gets no earlier answer to another key of the account", () =>
    Effect.gen(function* () {
      const again = { "idempotency-key": "of the account" }
      assert.strictEqual((yield* submit({ value: "private matter" }, again)).status, 200)
      const reply = yield* submit({ value: "private matter" }, { ...again, ...(yield* granted) })
      assertEnvelope(reply, 403)
      assert.deepStrictEqual(detailsOf(reply.json), notGranted)
    })
  )

  it.effect("sees, cancels and erases no request of another model", () =>
    Effect.gen(function* () {
      const headers = yield* granted
      const id = yield* accepted("sandbox/echo", { value: "private matter" })
      const paths = ["sandbox/echo", "sandbox/slow"].flatMap((model) => [
        `/${model}/requests/${id}/status`,
        `/${model}/requests/${id}`,
        `/${model}/requests/${id}/cancel`
      ])
      for (const path of [...paths, `/requests/${id}`]) {
        const reply = yield* call({ path, headers })
        assertEnvelope(reply, 403)
        assert.notInclude(reply.text, "private")
      }
      assertEnvelope(yield* call({ method: "DELETE", path: `/requests/${id}/payloads`, headers }), 403)
      assert.deepInclude((yield* call({ path: `/requests/${id}` })).json, { status: "IN_QUEUE" })
    })
  )

  it.effect("reads files and webhooks of the whole account", () =>
    Effect.gen(function* () {
      const headers = yield* granted
      for (const path of ["/files", "/webhooks/deliveries", "/webhooks/default/secret"]) {
        assert.strictEqual((yield* call({ path, headers })).status, 200)
      }
    })
  )

  it.effect("reads no attempt to deliver the output of another model", () =>
    Effect.gen(function* () {
      const requestId = RequestId.make(yield* accepted("sandbox/echo", { value: "private matter" }))
      const path = `/webhooks/deliveries/${yield* Deliveries.delivered({ requestId })}/attempts/1`
      assert.strictEqual((yield* call({ path })).status, 200)
      assertEnvelope(yield* call({ path, headers: yield* granted }), 403)
    })
  )

  it.effect("sees its models of OpenAI's API and no other, with a key or a token", () =>
    Effect.gen(function* () {
      const modelEndpoints = [ModelEndpoint.make("sandbox/slow"), ModelEndpoint.make("sandbox/chat")]
      const key = yield* GrantedKeys.issue({ modelEndpoints })
      const { token } = yield* make({ models: ["sandbox/chat"] })
      assert.deepStrictEqual(yield* listedTo({}), ["sandbox/chat", "test/talk"])
      assert.deepStrictEqual(yield* listedTo(yield* GrantedKeys.issue({ modelEndpoints: [] })), [])
      for (const headers of [key, { authorization: `Key ${token}` }]) {
        assert.deepStrictEqual(yield* listedTo(headers), ["sandbox/chat"])
        for (const slash of ["/", "%2F"]) {
          const found = yield* call({ path: `/v1/models/sandbox${slash}chat`, headers })
          assert.deepInclude(found.json, { id: "sandbox/chat", serves: ["chat"] })
          const other = `/v1/models/test${slash}talk`
          assert.strictEqual((yield* call({ path: other })).status, 200)
          // As one that does not exist.
          for (const path of [other, `/v1/models/test${slash}nothing`]) {
            const hidden = yield* call({ path, headers })
            assert.strictEqual(hidden.status, 404, path)
            assert.deepInclude(openaiErrorOf(hidden.json), { code: "model_not_found" })
          }
        }
      }
    })
  )

  it.effect("reads no model of OpenAI's API unless it may submit", () =>
    Effect.gen(function* () {
      const reads = yield* GrantedKeys.issue({ scopes: ["requests:read", "keys:admin"] })
      const { token } = yield* make({ readOnly: true })
      for (const path of ["/v1/models", "/v1/models/sandbox/chat", "/v1/models/sandbox%2Fchat"]) {
        for (const [headers, code] of [
          [reads, "missing_scope"],
          [{ authorization: `Key ${token}` }, "token_not_granted"]
        ] as const) {
          const reply = yield* call({ path, headers })
          assert.strictEqual(reply.status, 403, path)
          assert.deepInclude(openaiErrorOf(reply.json), { type: "invalid_request_error", code })
        }
      }
    })
  )

  it.effect("without a model submits nothing", () =>
    Effect.gen(function* () {
      const headers = yield* GrantedKeys.issue({ modelEndpoints: [] })
      assertEnvelope(yield* submit({ value: 1 }, headers), 403)
    })
  )
})
