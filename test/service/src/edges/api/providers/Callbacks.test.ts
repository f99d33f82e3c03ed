import { assert, layer } from "@effect/vitest"
import { Effect, Queue } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import { Callbacks } from "#src/features/providers/Callbacks.ts"
import { send } from "#test/support/HttpProbe.ts"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { accepted, assertEnvelope, jsonHeaders } from "#test/support/src/edges/http/Calls.ts"
import { scenarios } from "#test/support/src/edges/http/Scenarios.ts"

/** Without a key, as providers do. */
const callAt = (path: string, body: string, method = "POST") =>
  Effect.flatMap(TestServer.TestServer, ({ port }) =>
    send(port, { method, path, headers: jsonHeaders, body })
  )

/** For a run without a listener. */
const pathOf = (requestId: RequestId, attempt = 1) =>
  Effect.flatMap(Callbacks, (callbacks) => Effect.scoped(callbacks.open({ requestId, attempt }))).pipe(
    Effect.map(({ url }) => new URL(url).pathname)
  )

layer(TestServer.layer(), { excludeTestServices: true })("/callbacks/{requestId}/{attempt}/{mac}", (it) => {
  it.effect.each(["POST", "PUT"])("%s passes a callback to the run, at the platform's address", (method) =>
    Effect.gen(function* () {
      const { urls } = yield* TestServer.TestServer
      const { received, url } = yield* (yield* Callbacks).open({ requestId: yield* accepted(), attempt: 1 })
      assert.isTrue(url.startsWith(`${urls.baseUrl}/callbacks/`))
      const reply = yield* callAt(new URL(url).pathname, '{ "status": "running" }', method)
      assert.strictEqual(reply.status, 200, reply.text)
      assert.deepStrictEqual(reply.json, { status: "delivered" })
      const { headers, json, rawBody } = yield* Queue.take(received)
      assert.deepStrictEqual(json, { status: "running" })
      assert.strictEqual(headers["content-type"], "application/json")
      assert.strictEqual(Buffer.from(rawBody).toString(), '{ "status": "running" }')
    }).pipe(Effect.scoped)
  )

  it.effect("accepts a body larger than a client's limit", () =>
    Effect.gen(function* () {
      const { received, url } = yield* (yield* Callbacks).open({ requestId: yield* accepted(), attempt: 1 })
      const output = "x".repeat(11 * 1024 * 1024)
      const reply = yield* callAt(new URL(url).pathname, JSON.stringify({ output }))
      assert.strictEqual(reply.status, 200, reply.text)
      assert.strictEqual((yield* Queue.take(received)).rawBody.length, output.length + 13)
    }).pipe(Effect.scoped)
  )

  it.effect("rejects a wrong credential without reading the body", () =>
    Effect.gen(function* () {
      const id = yield* accepted()
      const path = yield* pathOf(id)
      for (const wrong of [path.slice(0, -1), path.replace("/1/", "/2/"), `/callbacks/${id}/1/none`]) {
        assertEnvelope(yield* callAt(wrong, "no JSON"), 401)
      }
    })
  )

  it.effect("rejects a body that is not JSON", () =>
    Effect.gen(function* () {
      const path = yield* pathOf(yield* accepted())
      assertEnvelope(yield* callAt(path, "{"), 400)
      assertEnvelope(yield* callAt(path, "[".repeat(200) + "]".repeat(200)), 400)
    })
  )

  it.effect("answers 503 with Retry-After while the run continues and this node has no listener", () =>
    Effect.gen(function* () {
      const id = yield* accepted()
      yield* Lifecycle.start(id)
      const reply = yield* callAt(yield* pathOf(id), "{}")
      assertEnvelope(reply, 503)
      assert.strictEqual(reply.headers["retry-after"], "10")
    })
  )

  it.effect("answers 200 for a run that is over or never began", () =>
    Effect.gen(function* () {
      const paths = [
        yield* pathOf(yield* scenarios.succeeded),
        yield* pathOf(yield* accepted()),
        yield* pathOf(yield* scenarios.running, 2)
      ]
      for (const path of paths) {
        const reply = yield* callAt(path, "{}")
        assert.strictEqual(reply.status, 200, reply.text)
        assert.deepStrictEqual(reply.json, { status: "over" })
      }
    })
  )
})
