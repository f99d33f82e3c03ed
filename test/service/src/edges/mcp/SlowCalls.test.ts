import * as fs from "node:fs"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Queue, Stream } from "effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { TestClock } from "effect/testing"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { Authentication } from "#src/features/accounts/Authentication.ts"
import * as JsonRpc from "#src/edges/mcp/JsonRpc.ts"
import type { Tell } from "#src/edges/mcp/McpEndpoint.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as ToolClient from "#test/support/src/edges/mcp/ToolClient.ts"
import * as ToolServer from "#test/support/src/edges/mcp/ToolServer.ts"
import * as Until from "#test/support/Until.ts"

/** A session of the first account. */
const open = Effect.gen(function* () {
  const { key } = yield* TestServer.TestServer
  const server = yield* ToolServer.start
  const headers = yield* ToolClient.session(server.port, ToolServer.bearerOf(key))
  return { ...server, headers }
})

layer(ToolServer.layer)("a call of a tool", (it) => {
  it.effect("is answered in JSON when the answer is quick", () =>
    Effect.gen(function* () {
      const { headers, port } = yield* open
      const reply = yield* ToolClient.post(port, ToolClient.toolCall(1, "whoami"), headers)
      assert.strictEqual(reply.status, 200, reply.text)
      assert.strictEqual(reply.headers["content-type"], "application/json")
      assert.strictEqual(reply.headers["cache-control"], "no-store")
      assert.deepNestedInclude(Object(reply.json), { "result.structuredContent.keyId": "alpha" })
    })
  )

  it.effect("stores a text that is too long for memory in a file, until the call is over", () =>
    Effect.gen(function* () {
      const { headers, port, scratch } = yield* open
      const data = "x".repeat(300 * 1024)
      const reply = yield* ToolClient.post(port, ToolClient.toolCall(1, "upload_file", { data }), headers)
      assert.deepNestedInclude(Object(reply.json), { "result.structuredContent.size": 300 * 1024 })
      yield* Until.until(
        "an empty folder",
        Effect.sync(() => fs.readdirSync(scratch)),
        (names) => names.length === 0
      )
    })
  )

  it.effect("gets an event stream after 2 s, a comment at once and every 15 s, then its answer", () =>
    Effect.gen(function* () {
      const { hands, headers, port } = yield* open
      const answer = yield* ToolClient.begin(port, ToolClient.toolCall(7, "hold", { name: "a" }), headers)
      yield* Queue.take(hands.begun)
      yield* TestClock.adjust("1999 millis")
      assert.strictEqual(answer.status(), 0)
      yield* TestClock.adjust("1 millis")
      yield* answer.until(({ body }) => body() === ": keep-alive\n\n")
      assert.strictEqual(answer.headers()["content-type"], "text/event-stream")
      yield* TestClock.adjust("15 seconds")
      yield* answer.until(({ body }) => body() === ": keep-alive\n\n: keep-alive\n\n")
      yield* Deferred.succeed(hands.release, undefined)
      yield* answer.ended
      const [message, ...more] = ToolClient.messages(answer.body())
      assert.deepInclude(Object(message), { jsonrpc: "2.0", id: 7 })
      assert.deepNestedInclude(Object(message), { "result.structuredContent.name": "a" })
      assert.lengthOf(more, 0)
    })
  )

  it.effect("sends its progress in order before its answer, on demand", () =>
    Effect.gen(function* () {
      const { hands, headers, port } = yield* open
      const call = ToolClient.toolCall(3, "count", {}, { progressToken: "p" })
      const answer = yield* ToolClient.begin(port, call, headers)
      yield* answer.until(({ body }) => ToolClient.messages(body()).length === 3)
      yield* Deferred.succeed(hands.release, undefined)
      yield* answer.ended
      const told = ToolClient.messages(answer.body())
      assert.deepStrictEqual(
        told.slice(0, 3).map((one) => Object(one).params.progress),
        [1, 2, 3]
      )
      assert.deepNestedInclude(Object(told[3]), { id: 3, "result.structuredContent.counted": 3 })
      assert.lengthOf(told, 4)
    })
  )

  it.effect("is interrupted when its client cancels it, and gets no answer", () =>
    Effect.gen(function* () {
      const { hands, headers, port } = yield* open
      const answer = yield* ToolClient.begin(port, ToolClient.toolCall(4, "hold", { name: "a" }), headers)
      yield* Queue.take(hands.begun)
      const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 4 } }
      const reply = yield* ToolClient.post(port, cancel, headers)
      assert.strictEqual(reply.status, 202, reply.text)
      assert.strictEqual(reply.text, "")
      assert.strictEqual(yield* Queue.take(hands.interrupted), "a")
      yield* answer.ended
      assert.deepStrictEqual(ToolClient.messages(answer.body()), [])
    })
  )

  it.effect("cannot be cancelled from another session", () =>
    Effect.gen(function* () {
      const { key, otherKey } = yield* TestServer.TestServer
      const { hands, headers, port } = yield* open
      const answer = yield* ToolClient.begin(port, ToolClient.toolCall(4, "hold", { name: "a" }), headers)
      yield* Queue.take(hands.begun)
      const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 4 } }
      for (const other of [key, otherKey]) {
        const elsewhere = yield* ToolClient.session(port, ToolServer.bearerOf(other))
        assert.strictEqual((yield* ToolClient.post(port, cancel, elsewhere)).status, 202)
      }
      yield* Deferred.succeed(hands.release, undefined)
      yield* answer.ended
      assert.deepNestedInclude(JSON.parse(answer.body()), { id: 4, "result.structuredContent.name": "a" })
    })
  )

  it.effect("is interrupted when its client disconnects, before and after its stream begins", () =>
    Effect.gen(function* () {
      const { hands, headers, port } = yield* open
      const early = yield* ToolClient.begin(port, ToolClient.toolCall(1, "hold", { name: "early" }), headers)
      assert.strictEqual(yield* Queue.take(hands.begun), "early")
      yield* early.leave
      assert.strictEqual(yield* Queue.take(hands.interrupted), "early")
      const late = yield* ToolClient.begin(port, ToolClient.toolCall(2, "hold", { name: "late" }), headers)
      assert.strictEqual(yield* Queue.take(hands.begun), "late")
      yield* TestClock.adjust("2 seconds")
      yield* late.until(({ status }) => status() === 200)
      yield* late.leave
      assert.strictEqual(yield* Queue.take(hands.interrupted), "late")
    })
  )

  it.effect("ends within 5 s of its sign-in, and its client receives an error", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const accounts = yield* Accounts
      const { accountId } = yield* (yield* Authentication).authenticate(key)
      const issued = yield* accounts.issueKey({ accountId, name: "second" })
      const { hands, headers: others, port } = yield* open
      const headers = yield* ToolClient.session(port, { authorization: `Bearer ${ApiKey.format(issued)}` })
      const answer = yield* ToolClient.begin(port, ToolClient.toolCall(5, "hold", { name: "a" }), headers)
      const other = yield* ToolClient.begin(port, ToolClient.toolCall(5, "hold", { name: "b" }), others)
      yield* Queue.takeN(hands.begun, 2)
      yield* TestClock.adjust("2 seconds")
      yield* answer.until(({ status }) => status() === 200)
      yield* accounts.revokeKey(issued.keyId)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* Queue.take(hands.interrupted), "a")
      yield* answer.ended
      assert.deepInclude(Object(ToolClient.messages(answer.body())[0]), {
        id: 5,
        error: JsonRpc.signedOut
      })
      yield* Deferred.succeed(hands.release, undefined)
      yield* other.ended
      assert.lengthOf(ToolClient.messages(other.body()), 1)
    })
  )

  it.effect("that loses its sign-in before its stream is rejected like any unauthenticated call", () =>
    Effect.gen(function* () {
      const { key, urls } = yield* TestServer.TestServer
      const accounts = yield* Accounts
      const { accountId } = yield* (yield* Authentication).authenticate(key)
      const issued = yield* accounts.issueKey({ accountId, name: "third" })
      const { hands, port } = yield* open
      const headers = yield* ToolClient.session(port, { authorization: `Bearer ${ApiKey.format(issued)}` })
      yield* TestClock.adjust("4 seconds")
      const answer = yield* ToolClient.begin(port, ToolClient.toolCall(5, "hold", { name: "a" }), headers)
      yield* Queue.take(hands.begun)
      yield* accounts.revokeKey(issued.keyId)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Queue.take(hands.interrupted), "a")
      yield* answer.ended
      assert.strictEqual(answer.status(), 401)
      const challenge = String(answer.headers()["www-authenticate"])
      assert.include(challenge, `resource_metadata="${urls.mcpUrl}/.well-known/oauth-protected-resource"`)
      assert.include(challenge, 'error="invalid_token"')
      assert.match(JSON.parse(answer.body()).error, /: sign in again\./)
    })
  )

  it.effect("ends with its session, in either form of answer", () =>
    Effect.gen(function* () {
      const { hands, headers, port } = yield* open
      const slow = yield* ToolClient.begin(port, ToolClient.toolCall(5, "hold", { name: "a" }), headers)
      yield* Queue.take(hands.begun)
      yield* TestClock.adjust("2 seconds")
      yield* slow.until(({ status }) => status() === 200)
      const quick = yield* ToolClient.begin(port, ToolClient.toolCall(6, "hold", { name: "b" }), headers)
      yield* Queue.take(hands.begun)
      assert.strictEqual((yield* ToolClient.end(port, headers)).status, 204)
      yield* Queue.takeN(hands.interrupted, 2)
      yield* quick.ended
      assert.strictEqual(quick.status(), 404)
      assert.deepNestedInclude(JSON.parse(quick.body()), { id: 6, "error.code": -32001 })
      yield* slow.ended
      assert.deepNestedInclude(Object(ToolClient.messages(slow.body())[0]), { id: 5, "error.code": -32001 })
    })
  )

  it.effect("is answered when it ends without a result, before and after its stream begins", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const streamed = HttpServerResponse.stream(Stream.never)
      const works: Array<(tell: Tell) => Effect.Effect<void>> = [
        () => Effect.void,
        // A client that requests a stream is gone when it is opened.
        (tell) => Effect.asVoid(Effect.forkChild(tell(streamed), { startImmediately: true }))
      ]
      for (const [id, work] of works.entries()) {
        const { port } = yield* ToolServer.startOver((endpoint) => ({
          ...endpoint,
          post: (message, tell) => (message.session === null ? endpoint.post(message, tell) : work(tell))
        }))
        const headers = yield* ToolClient.session(port, ToolServer.bearerOf(key))
        const answer = yield* ToolClient.begin(port, ToolClient.toolCall(id, "whoami"), headers)
        yield* answer.ended
        const told =
          answer.status() === 200 ? ToolClient.messages(answer.body()) : [JSON.parse(answer.body())]
        assert.deepStrictEqual(told, [
          { jsonrpc: "2.0", id, error: { code: -32603, message: "Internal error" } }
        ])
      }
    })
  )

  it.effect("is answered with a request to call again when the server stops", () =>
    Effect.gen(function* () {
      const { hands, headers, port, stop } = yield* open
      const slow = yield* ToolClient.begin(port, ToolClient.toolCall(1, "hold", { name: "slow" }), headers)
      yield* Queue.take(hands.begun)
      yield* TestClock.adjust("2 seconds")
      yield* slow.until(({ status }) => status() === 200)
      const quick = yield* ToolClient.begin(port, ToolClient.toolCall(2, "hold", { name: "quick" }), headers)
      yield* Queue.take(hands.begun)
      const stopped = yield* Effect.forkChild(stop, { startImmediately: true })
      yield* TestClock.adjust("300 millis")
      yield* quick.until(({ status }) => status() === 503)
      yield* slow.ended
      assert.deepNestedInclude(Object(ToolClient.messages(slow.body())[0]), {
        id: 1,
        "error.code": -32000
      })
      yield* TestClock.adjust("600 millis")
      yield* Fiber.join(stopped)
    })
  )
})
