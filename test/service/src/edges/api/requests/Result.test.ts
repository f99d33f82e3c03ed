import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import { EventReader } from "#streams/EventReader.ts"
import { inlineLimit } from "#domain/PayloadRef.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { accepted, assertEnvelope, call } from "#test/support/src/edges/http/Calls.ts"
import { modelOf, scenarios, violations } from "#test/support/src/edges/http/Scenarios.ts"

const lose = Effect.fnUntraced(function* (id: string, name: string) {
  const stream = StreamName.make(InferenceRequest.aggregate.category, id)
  const content = (yield* (yield* EventReader).payload(stream, name))?.content
  if (content?._tag !== "Blob") return assert.fail(`the ${name} is not a blob`)
  yield* (yield* BlobStore).remove(content.key)
})

const result = {
  metadata: {},
  error: null,
  output: null,
  media: [],
  cost: "0",
  inferenceTime: null,
  delayTime: 40
}
const echo = { ...result, modelEndpoint: "sandbox/echo", input: { value: 1 } }
const ran = { ...echo, status: "COMPLETED", inferenceTime: 1500 }

const bodies = {
  queued: { ...echo, status: "IN_QUEUE", outcome: "pending", delayTime: null },
  running: { ...echo, status: "IN_PROGRESS", outcome: "pending" },
  succeeded: { ...ran, outcome: "succeeded", output: { value: 1 }, cost: "0.001" },
  partial: {
    ...ran,
    modelEndpoint: "sandbox/partial",
    input: { count: 4, deliver: 3 },
    outcome: "partial",
    output: { items: [{ index: 0 }] },
    cost: "0.006"
  },
  invalidOutput: {
    ...ran,
    outcome: "invalid_output",
    error: "The model's output does not match its declared schema."
  },
  providerFailed: { ...ran, outcome: "provider_failed", error: "The picture is empty." },
  failed: { ...echo, status: "FAILED", outcome: "failed", error: "The provider refused the run." },
  cancelled: { ...echo, status: "CANCELLED", outcome: "cancelled", delayTime: null }
} as const

layer(TestServer.layer(), { excludeTestServices: true })("results", (it) => {
  it.effect.each([["succeeded"], ["partial"]] as const)(
    "GET …/requests/{id} returns the output of a request that %s",
    ([scenario]) =>
      Effect.gen(function* () {
        const id = yield* scenarios[scenario]
        const { json, status } = yield* call({ path: `/${modelOf(scenario)}/requests/${id}` })
        assert.strictEqual(status, 200)
        const { createdAt, ...body } = Object(json)
        assert.deepStrictEqual(body, { id, ...bodies[scenario] })
        assert.strictEqual(new Date(createdAt).toISOString(), createdAt)
      })
  )

  it.effect.each(["input", "output"])("are 500 when the %s is lost, and not reported as erased", (name) =>
    Effect.gen(function* () {
      const value = { value: "x".repeat(inlineLimit) }
      const id = yield* accepted("sandbox/echo", value)
      yield* Lifecycle.start(id)
      yield* Lifecycle.deliver(id, value)
      yield* lose(id, name)
      for (const path of [`/sandbox/echo/requests/${id}`, `/requests/${id}`]) {
        const reply = yield* call({ path })
        assertEnvelope(reply, 500)
        assert.deepInclude(reply.json, { details: { code: "PAYLOAD_DAMAGED" } })
      }
    })
  )

  it.effect.each([
    ["queued", "REQUEST_NOT_COMPLETED"],
    ["running", "REQUEST_NOT_COMPLETED"],
    ["failed", "REQUEST_FAILED"],
    ["cancelled", "REQUEST_CANCELLED"]
  ] as const)("GET …/requests/{id} is 400 for one that is %s", ([scenario, code]) =>
    Effect.gen(function* () {
      const id = yield* scenarios[scenario]
      const reply = yield* call({ path: `/sandbox/echo/requests/${id}` })
      assertEnvelope(reply, 400)
      assert.deepInclude(reply.json, { details: { code } })
    })
  )

  it.effect.each([
    ["invalidOutput", { code: "INVALID_OUTPUT", validationErrors: violations }],
    ["providerFailed", { code: "UPSTREAM_FAILURE" }]
  ] as const)("GET …/requests/{id} is 422 for one that completed as %s", ([scenario, details]) =>
    Effect.gen(function* () {
      const id = yield* scenarios[scenario]
      const { json, status } = yield* call({ path: `/sandbox/echo/requests/${id}` })
      assert.strictEqual(status, 422)
      const { createdAt: _, ...body } = Object(json)
      assert.deepStrictEqual(body, { id, request_id: id, ...bodies[scenario], details })
    })
  )

  it.effect.each([
    ["queued", null],
    ["running", null],
    ["succeeded", "charged"],
    ["partial", "partial"],
    ["invalidOutput", "failed"],
    ["providerFailed", "failed"],
    ["failed", "failed"],
    ["cancelled", "failed"]
  ] as const)("GET /requests/{id} is 200 for one that is %s", ([scenario, billingStatus]) =>
    Effect.gen(function* () {
      const { urls } = yield* TestServer.TestServer
      const id = yield* scenarios[scenario]
      const { json, status } = yield* call({ path: `/requests/${id}` })
      const url = `${urls.queueUrl}/${modelOf(scenario)}/requests/${id}`
      assert.strictEqual(status, 200)
      const { createdAt, expiresAt, ...body } = Object(json)
      assert.strictEqual(Date.parse(expiresAt) - Date.parse(createdAt), 30 * 86_400_000)
      assert.deepStrictEqual(body, {
        id,
        ...bodies[scenario],
        erasedAt: null,
        billingStatus,
        response_url: url,
        status_url: `${url}/status`,
        cancel_url: `${url}/cancel`
      })
    })
  )
})
