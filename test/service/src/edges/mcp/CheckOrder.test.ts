/** The order in which a call is checked, and the traces of a refused call. */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Queue } from "effect"
import { TestClock } from "effect/testing"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import { Authentication } from "#src/features/accounts/Authentication.ts"
import { CallLimits } from "#src/edges/mcp/routes/ToolCalls.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as ToolClient from "#test/support/src/edges/mcp/ToolClient.ts"
import * as ToolServer from "#test/support/src/edges/mcp/ToolServer.ts"

const ping = { jsonrpc: "2.0", id: 9, method: "ping" }
const faulty = { jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "no such tool" } }
const unknown = { "mcp-session-id": "A".repeat(32) }

layer(ToolServer.layer)("a request with a fault", (it) => {
  it.effect("reports only the missing session in a session that is gone", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const { port } = yield* ToolServer.start
      const headers = { ...ToolServer.bearerOf(key), ...unknown }
      for (const message of [
        faulty,
        { ...faulty, method: "unknown" },
        { ...faulty, method: "prompts/get" }
      ]) {
        const { json, status, text } = yield* ToolClient.post(port, message, headers)
        assert.strictEqual(status, 404, text)
        assert.deepNestedInclude(Object(json), { id: 7, "error.code": -32001 })
      }
    })
  )

  it.effect("is answered with the reason even when the account has reached its limit of calls", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const { hands, port } = yield* ToolServer.start
      const headers = yield* ToolClient.session(port, ToolServer.bearerOf(key))
      yield* ToolClient.begin(port, ToolClient.toolCall(1, "hold", { name: "only" }), headers)
      yield* Queue.take(hands.begun)
      assert.strictEqual((yield* ToolClient.post(port, ping, headers)).status, 429)
      const { json, status, text } = yield* ToolClient.post(port, faulty, headers)
      assert.strictEqual(status, 200, text)
      assert.deepNestedInclude(Object(json), { id: 7, "error.code": -32602 })
      yield* Deferred.succeed(hands.release, undefined)
    }).pipe(Effect.provideService(CallLimits, { ofAccount: 1, inAll: 5 }))
  )

  it.effect("loads no session into memory", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const { port, sessions } = yield* ToolServer.start
      const headers = yield* ToolClient.session(port, ToolServer.bearerOf(key))
      assert.strictEqual((yield* ToolClient.post(port, faulty, headers)).status, 200)
      yield* TestClock.adjust("31 minutes")
      yield* sessions.letGo
      assert.strictEqual(sessions.size(), 0)
    })
  )

  it.effect("is rejected before its session is read, like a batch over the rate", () =>
    Effect.gen(function* () {
      const { port } = yield* ToolServer.start
      const key = yield* TestServer.openAccount("rated-sessions")
      const { accountId } = yield* (yield* Authentication).authenticate(key)
      const keyRate = { requests: 4, windowSeconds: 60 }
      yield* (yield* Accounts).changeLimits({ accountId, limits: { keyRate } })
      const batch = Array.from({ length: 9 }, (_, id) => ({ ...ping, id }))
      const headers = { ...ToolServer.bearerOf(key), ...unknown }
      assert.strictEqual((yield* ToolClient.post(port, batch, headers)).status, 429)
    })
  )
})
