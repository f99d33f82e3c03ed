import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as TestServer from "#test/support/TestServer.ts"
import { accepted, assertEnvelope, call } from "#test/support/src/edges/http/Calls.ts"
import { scenarios } from "#test/support/src/edges/http/Scenarios.ts"

const cancel = (id: string, method: string) => call({ method, path: `/sandbox/echo/requests/${id}/cancel` })

layer(TestServer.layer(), { excludeTestServices: true })("…/requests/{id}/cancel", (it) => {
  it.effect.each(["GET", "PUT", "POST"])("%s cancels a waiting request", (method) =>
    Effect.gen(function* () {
      const id = yield* accepted()
      const reply = yield* cancel(id, method)
      assert.strictEqual(reply.status, 200)
      assert.strictEqual(reply.headers["cache-control"], "no-store")
      assert.notProperty(reply.headers, "set-cookie")
      assert.deepInclude(reply.json, { status: "CANCELLED", request_id: id, queue_position: 0 })
      assert.include(Object(reply.json).cancel, { accepted: true })
    })
  )

  it.effect.each([
    ["succeeded", { status: "COMPLETED" }],
    ["cancelled", { status: "CANCELLED" }],
    ["failed", { status: "FAILED", error: "The provider refused the run.", logs: [] }]
  ] as const)("changes nothing for one that is %s, and answers 200", ([scenario, body]) =>
    Effect.gen(function* () {
      const id = yield* scenarios[scenario]
      const reply = yield* cancel(id, "GET")
      assert.strictEqual(reply.status, 200)
      assert.deepInclude(reply.json, body)
      assert.include(Object(reply.json).cancel, { accepted: false })
    })
  )

  it.effect("rejects HEAD and DELETE", () =>
    Effect.gen(function* () {
      const id = yield* accepted()
      const head = yield* cancel(id, "HEAD")
      assert.strictEqual(head.status, 405)
      assert.strictEqual(head.headers.allow, "GET, POST, PUT")
      const other = yield* cancel(id, "DELETE")
      assertEnvelope(other, 405)
      assert.strictEqual(other.headers.allow, "GET, POST, PUT")
      const { json } = yield* call({ path: `/sandbox/echo/requests/${id}/status` })
      assert.deepInclude(json, { status: "IN_QUEUE" })
    })
  )
})
