import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { accepted, assertEnvelope, call } from "#test/support/src/edges/http/Calls.ts"
import { scenarios } from "#test/support/src/edges/http/Scenarios.ts"
import * as Streams from "#test/support/src/edges/http/Streams.ts"

const pathOf = (id: string) => `/sandbox/echo/requests/${id}/status`

layer(Streams.layer(), { excludeTestServices: true })("GET …/requests/{id}/status/stream", (it) => {
  it.effect("sends the current status and each change, without names or ids, and ends with the request", () =>
    Effect.gen(function* () {
      const id = yield* accepted()
      const body = Effect.map(call({ path: pathOf(id) }), ({ text }) => `data: ${text}\n\n`)
      const said = [yield* body]
      const client = yield* Streams.stream(`${pathOf(id)}/stream`)
      const heard = () => client.until((client) => client.body() === said.join(""))
      yield* heard()
      yield* Lifecycle.start(id)
      said.push(yield* body)
      yield* heard()
      yield* Lifecycle.log(id, "half of it")
      said.push(yield* body)
      yield* heard()
      yield* Lifecycle.deliver(id, { value: 1 })
      said.push(yield* body)
      yield* client.closed
      assert.strictEqual(client.body(), said.join(""))
      assert.include(said[2], '"logs":"half of it"')
      assert.include(said[3], "COMPLETED")
    })
  )

  it.effect("sends only the end of a request that has ended, also of a failed one", () =>
    Effect.gen(function* () {
      const id = yield* scenarios.failed
      const client = yield* Streams.stream(`${pathOf(id)}/stream`)
      yield* client.closed
      assert.strictEqual(client.status(), 200)
      const { text } = yield* call({ path: pathOf(id) })
      assert.strictEqual(client.body(), `data: ${text}\n\n`)
    })
  )

  it.effect("is rejected like the status", () =>
    Effect.gen(function* () {
      const { otherKey } = yield* TestServer.TestServer
      const id = yield* accepted()
      assertEnvelope(yield* call({ path: `${pathOf("short")}/stream` }), 400)
      assertEnvelope(yield* call({ path: `${pathOf("rq0000000000000000000")}/stream` }), 404)
      assertEnvelope(yield* call({ path: `/sandbox/slow/requests/${id}/status/stream` }), 404)
      const path = `${pathOf(id)}/stream`
      assertEnvelope(yield* call({ path, headers: { authorization: otherKey } }), 403)
      assert.strictEqual((yield* call({ method: "HEAD", path })).status, 405)
    })
  )
})
