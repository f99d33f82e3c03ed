import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { inlineLimit } from "#domain/PayloadRef.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { accepted, assertEnvelope, call } from "#test/support/src/edges/http/Calls.ts"
import { modelOf, type Scenario, scenarios } from "#test/support/src/edges/http/Scenarios.ts"

const erase = (id: string) => call({ method: "DELETE", path: `/requests/${id}/payloads` })
const result = (id: string, model = "sandbox/echo") => call({ path: `/${model}/requests/${id}` })

layer(TestServer.layer(), { excludeTestServices: true })("erasing", (it) => {
  it.effect.each([["succeeded"], ["partial"]] as const)(
    "DELETE …/payloads erases the result of a request that %s, idempotently",
    ([scenario]) =>
      Effect.gen(function* () {
        const id = yield* scenarios[scenario]
        assert.strictEqual((yield* result(id, modelOf(scenario))).status, 200)
        for (let time = 1; time <= 2; time++) {
          const reply = yield* erase(id)
          assert.deepStrictEqual([reply.status, reply.text], [204, ""])
        }
        const gone = yield* result(id, modelOf(scenario))
        assertEnvelope(gone, 410)
        assert.deepInclude(gone.json, { details: { code: "PAYLOADS_ERASED" } })
      })
  )

  it.effect.each([
    ["failed", 400],
    ["cancelled", 400],
    ["invalidOutput", 422],
    ["providerFailed", 422]
  ] as const satisfies ReadonlyArray<readonly [Scenario, number]>)(
    "a request that is %s still answers %d, without its input",
    ([scenario, status]) =>
      Effect.gen(function* () {
        const id = yield* scenarios[scenario]
        const before = yield* result(id)
        assert.strictEqual((yield* erase(id)).status, 204)
        const after = yield* result(id)
        assert.deepStrictEqual([before.status, after.status], [status, status])
        if (status === 422) assert.deepStrictEqual(after.json, { ...Object(before.json), input: null })
      })
  )

  it.effect("GET /requests/{id} returns the time of erasing, and all other fields", () =>
    Effect.gen(function* () {
      const id = yield* scenarios.succeeded
      const before = Object((yield* call({ path: `/requests/${id}` })).json)
      assert.isNull(before.erasedAt)
      assert.strictEqual(Date.parse(before.expiresAt) - Date.parse(before.createdAt), 30 * 86_400_000)
      const status = yield* call({ path: `/sandbox/echo/requests/${id}/status` })
      yield* erase(id)
      const { json, status: after } = yield* call({ path: `/requests/${id}` })
      const { erasedAt } = Object(json)
      assert.strictEqual(after, 200)
      assert.deepStrictEqual(json, { ...before, input: null, output: null, media: [], erasedAt })
      assert.strictEqual(new Date(erasedAt).toISOString(), erasedAt)
      const later = yield* call({ path: `/sandbox/echo/requests/${id}/status` })
      assert.deepStrictEqual([later.status, later.json], [200, status.json])
    })
  )

  it.effect.each([["queued"], ["running"]] as const)("a request that is %s is not erased", ([scenario]) =>
    Effect.gen(function* () {
      const id = yield* scenarios[scenario]
      const reply = yield* erase(id)
      assertEnvelope(reply, 409)
      assert.deepInclude(reply.json, { details: { code: "REQUEST_NOT_ENDED" } })
      assert.deepInclude((yield* call({ path: `/requests/${id}` })).json, {
        input: { value: 1 },
        erasedAt: null
      })
    })
  )

  it.effect("requires an existing request of the same account", () =>
    Effect.gen(function* () {
      const { otherKey } = yield* TestServer.TestServer
      const id = yield* scenarios.succeeded
      const path = `/requests/${id}/payloads`
      assertEnvelope(yield* call({ method: "DELETE", path, headers: { authorization: otherKey } }), 403)
      assertEnvelope(yield* call({ method: "DELETE", path, headers: { authorization: "Key no:key" } }), 401)
      assertEnvelope(yield* erase("rq0000000000000000000"), 404)
      assertEnvelope(yield* erase("short"), 400)
      assert.strictEqual((yield* result(id)).status, 200)
    })
  )

  it.effect("erases payloads in the blob store", () =>
    Effect.gen(function* () {
      const value = { value: "x".repeat(inlineLimit) }
      const id = yield* accepted("sandbox/echo", value)
      const stream = StreamName.make("InferenceRequest", id)
      const content = (yield* (yield* EventReader).payload(stream, "input"))?.content
      if (content?._tag !== "Blob") return assert.fail("the input is no blob")
      yield* Lifecycle.start(id)
      yield* Lifecycle.deliver(id, { value: 1 })
      const blobs = yield* BlobStore
      assert.isNotNull(yield* blobs.size(content.key))
      assert.strictEqual((yield* erase(id)).status, 204)
      assert.isNull(yield* blobs.size(content.key))
      assert.isNull(yield* (yield* EventReader).payload(stream, "input"))
      const types = (yield* (yield* EventReader).read(stream)).map(({ type }) => type)
      assert.deepStrictEqual(types.slice(-2), ["PayloadsErased", "ErasedFilesRemoved"])
    })
  )
})
