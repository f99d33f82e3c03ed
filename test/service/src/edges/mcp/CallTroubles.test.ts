/** Calls whose message is refused, whose login cannot be checked, or that arrive while the server stops. */
import * as fs from "node:fs"
import * as http from "node:http"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Queue } from "effect"
import { TestClock } from "effect/testing"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { Authentication } from "#src/features/accounts/Authentication.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as ToolClient from "#test/support/src/edges/mcp/ToolClient.ts"
import * as ToolServer from "#test/support/src/edges/mcp/ToolServer.ts"

/** A message that the server has begun to read and whose text is still to come. */
const announced = (port: number, text: string, headers: Readonly<Record<string, string>>) =>
  Effect.callback<http.ClientRequest>((resume) => {
    const request = http.request({
      host: "127.0.0.1",
      port,
      path: "/mcp",
      method: "POST",
      agent: false,
      headers: {
        ...ToolClient.forms,
        ...headers,
        expect: "100-continue",
        "content-length": Buffer.byteLength(text)
      }
    })
    request.on("continue", () => resume(Effect.succeed(request)))
    request.flushHeaders()
  })

const statusOf = (request: http.ClientRequest) =>
  Effect.callback<number>((resume) => {
    request.on("response", (response) => {
      response.resume()
      resume(Effect.succeed(response.statusCode ?? 0))
    })
  })

layer(ToolServer.layer)("a call with a fault", (it) => {
  it.effect("leaves no file of its text when it is rejected, and releases its slot", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const { port, scratch } = yield* ToolServer.start
      const upload = ToolClient.toolCall(1, "upload_file", { data: "x".repeat(300 * 1024) })
      const headers = { ...ToolServer.bearerOf(key), "mcp-session-id": "A".repeat(32) }
      // More calls than there are permits for files.
      for (let call = 0; call < 12; call++) {
        assert.strictEqual((yield* ToolClient.post(port, upload, headers)).status, 404)
        assert.deepStrictEqual(fs.readdirSync(scratch), [])
      }
    })
  )

  it.effect("continues while its sign-in cannot be checked, and is checked again later", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const accounts = yield* Accounts
      const { accountId } = yield* (yield* Authentication).authenticate(key)
      const issued = yield* accounts.issueKey({ accountId, name: "while the log is away" })
      let isAway = false
      const { hands, port } = yield* ToolServer.start.pipe(
        Effect.provideService(ToolServer.LogIsAway, () => isAway)
      )
      const headers = yield* ToolClient.session(port, { authorization: `Bearer ${ApiKey.format(issued)}` })
      const begin = (id: number, name: string) =>
        ToolClient.begin(port, ToolClient.toolCall(id, "hold", { name }), headers)
      const call = yield* begin(5, "a")
      yield* Queue.take(hands.begun)
      isAway = true
      yield* TestClock.adjust("10 seconds")
      yield* call.until(({ status }) => status() === 200)
      isAway = false
      assert.strictEqual(yield* Queue.size(hands.interrupted), 0)
      yield* accounts.revokeKey(issued.keyId)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* Queue.take(hands.interrupted), "a")
      yield* call.ended
    })
  )

  it.effect("that reported progress receives an error when its sign-in is over", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const accounts = yield* Accounts
      const { accountId } = yield* (yield* Authentication).authenticate(key)
      const issued = yield* accounts.issueKey({ accountId, name: "with progress" })
      const { port } = yield* ToolServer.start
      const headers = yield* ToolClient.session(port, { authorization: `Bearer ${ApiKey.format(issued)}` })
      const count = ToolClient.toolCall(3, "count", {}, { progressToken: "p" })
      const call = yield* ToolClient.begin(port, count, headers)
      yield* call.until(({ body }) => ToolClient.messages(body()).length === 3)
      yield* accounts.revokeKey(issued.keyId)
      yield* TestClock.adjust("5 seconds")
      yield* call.ended
      assert.deepNestedInclude(Object(ToolClient.messages(call.body()).at(-1)), {
        id: 3,
        "error.code": -32000
      })
    })
  )

  it.effect("is not started when its message arrives after the server began to stop", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const { hands, port, stop } = yield* ToolServer.start
      const headers = yield* ToolClient.session(port, ToolServer.bearerOf(key))
      const text = JSON.stringify(ToolClient.toolCall(1, "hold", { name: "late" }))
      const request = yield* announced(port, text, headers)
      const status = yield* Effect.forkChild(statusOf(request), { startImmediately: true })
      const stopped = yield* Effect.forkChild(stop, { startImmediately: true })
      request.end(text)
      assert.strictEqual(yield* Fiber.join(status), 503)
      assert.strictEqual(yield* Queue.size(hands.begun), 0)
      yield* TestClock.adjust("900 millis")
      yield* Fiber.join(stopped)
      yield* Deferred.succeed(hands.release, undefined)
    })
  )
})
