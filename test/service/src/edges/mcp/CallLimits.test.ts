/** The limits on calls of tools per account, in rate and in number at once. */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Queue } from "effect"
import { TestClock } from "effect/testing"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import { Authentication } from "#src/features/accounts/Authentication.ts"
import { CallLimits } from "#src/edges/mcp/routes/ToolCalls.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as ToolClient from "#test/support/src/edges/mcp/ToolClient.ts"
import * as ToolServer from "#test/support/src/edges/mcp/ToolServer.ts"

/** Lower than in production. */
const ofAccount = 5

const ping = { jsonrpc: "2.0", id: 9, method: "ping" }

/** A server, and the headers of the first account without a session. */
const open = Effect.gen(function* () {
  const { key } = yield* TestServer.TestServer
  const server = yield* ToolServer.start
  return { ...server, bearer: ToolServer.bearerOf(key) }
})

layer(ToolServer.layer)("the tool server", (it) => {
  it.effect("applies the rates of account and key, and every answer has the remaining calls", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const { port } = yield* open
      const key = yield* TestServer.openAccount("rated")
      const { accountId } = yield* (yield* Authentication).authenticate(key)
      const keyRate = { requests: 2, windowSeconds: 60 }
      yield* accounts.changeLimits({ accountId, limits: { keyRate } })
      const headers = yield* ToolClient.session(port, ToolServer.bearerOf(key))
      const fine = yield* ToolClient.post(port, ping, headers)
      assert.strictEqual(fine.status, 200)
      assert.strictEqual(fine.headers["ratelimit-policy"], '"key";q=2;w=60')
      const refused = yield* ToolClient.post(port, ping, headers)
      assert.strictEqual(refused.status, 429)
      assert.strictEqual(refused.headers["retry-after"], "30")
      assert.deepInclude(Object(refused.json).details, { code: "RATE_LIMITED", scope: "key", limit: 2 })
    })
  )

  it.effect("sends the remaining calls in a streamed answer too", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const { hands, port } = yield* open
      const key = yield* TestServer.openAccount("rated-streams")
      const { accountId } = yield* (yield* Authentication).authenticate(key)
      const keyRate = { requests: 9, windowSeconds: 60 }
      yield* accounts.changeLimits({ accountId, limits: { keyRate } })
      const headers = yield* ToolClient.session(port, ToolServer.bearerOf(key))
      const slow = yield* ToolClient.begin(port, ToolClient.toolCall(1, "hold", { name: "slow" }), headers)
      yield* Queue.take(hands.begun)
      yield* TestClock.adjust("2 seconds")
      yield* slow.until(({ status }) => status() === 200)
      assert.strictEqual(slow.headers()["content-type"], "text/event-stream")
      assert.strictEqual(slow.headers()["ratelimit-policy"], '"key";q=9;w=60')
      yield* Deferred.succeed(hands.release, undefined)
    })
  )

  it.effect("counts each request of a batch, and rejects those over the rate", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const { port } = yield* open
      const key = yield* TestServer.openAccount("batches")
      const { accountId } = yield* (yield* Authentication).authenticate(key)
      const limits = {
        keyRate: { requests: 6, windowSeconds: 60 },
        accountRate: { requests: 100, windowSeconds: 60 }
      }
      yield* accounts.changeLimits({ accountId, limits })
      const bearer = ToolServer.bearerOf(key)
      const opened = yield* ToolClient.post(port, ToolClient.initialize("2025-03-26"), bearer)
      const headers = { ...bearer, "mcp-session-id": String(opened.headers["mcp-session-id"]) }
      const batch = (size: number) => [
        ...Array.from({ length: size }, (_, id) => ({ ...ping, id })),
        { jsonrpc: "2.0", method: "notifications/initialized" }
      ]
      const fine = yield* ToolClient.post(port, batch(3), headers)
      assert.strictEqual(fine.status, 200)
      assert.match(String(fine.headers["ratelimit"]), /^"account";r=96;t=\d+, "key";r=2;t=\d+$/)
      for (const size of [3, 7]) {
        const refused = yield* ToolClient.post(port, batch(size), headers)
        assert.strictEqual(refused.status, 429)
        const details = { code: "RATE_LIMITED", scope: "key", limit: 6, window: 60 }
        assert.deepInclude(Object(refused.json).details, details)
        assert.match(Object(refused.json).error, /each one of the batch counts/)
        // Ten seconds for each missing one, at most until all are there.
        assert.strictEqual(refused.headers["retry-after"], size === 3 ? "10" : "40")
      }
      const left = yield* ToolClient.post(port, batch(2), headers)
      assert.match(String(left.headers["ratelimit"]), /^"account";r=94;t=\d+, "key";r=0;/)
    })
  )

  it.effect("counts each request of a batch as a concurrent call", () =>
    Effect.gen(function* () {
      const { otherKey } = yield* TestServer.TestServer
      const { bearer, hands, port } = yield* open
      const opening = (bearer: Readonly<Record<string, string>>) =>
        Effect.map(ToolClient.post(port, ToolClient.initialize("2025-03-26"), bearer), ({ headers }) => ({
          ...bearer,
          "mcp-session-id": String(headers["mcp-session-id"])
        }))
      const headers = yield* opening(bearer)
      const batch = (size: number) =>
        Array.from({ length: size }, (_, id) => ToolClient.toolCall(id, "hold", { name: String(id) }))
      assert.strictEqual((yield* ToolClient.post(port, batch(ofAccount + 1), headers)).status, 429)
      yield* ToolClient.begin(port, batch(ofAccount), headers)
      yield* Queue.takeN(hands.begun, ofAccount)
      assert.strictEqual((yield* ToolClient.post(port, ping, headers)).status, 429)
      const elsewhere = yield* opening(ToolServer.bearerOf(otherKey))
      assert.strictEqual((yield* ToolClient.post(port, batch(3), elsewhere)).status, 503)
      assert.strictEqual((yield* ToolClient.post(port, ping, elsewhere)).status, 200)
      yield* Deferred.succeed(hands.release, undefined)
    }).pipe(Effect.provideService(CallLimits, { ofAccount, inAll: ofAccount + 2 }))
  )

  it.effect("runs a limited number of an account's calls at once, and accepts their cancellation", () =>
    Effect.gen(function* () {
      const { otherKey } = yield* TestServer.TestServer
      const { bearer, hands, port } = yield* open
      const headers = yield* ToolClient.session(port, bearer)
      for (let id = 0; id < ofAccount; id++) {
        yield* ToolClient.begin(port, ToolClient.toolCall(id, "hold", { name: String(id) }), headers)
      }
      yield* Queue.takeN(hands.begun, ofAccount)
      const refused = yield* ToolClient.post(port, ping, headers)
      assert.strictEqual(refused.status, 429)
      const details = { code: "RATE_LIMITED", scope: "account", limit: ofAccount }
      assert.deepInclude(Object(refused.json).details, details)
      const elsewhere = yield* ToolClient.session(port, ToolServer.bearerOf(otherKey))
      assert.strictEqual((yield* ToolClient.post(port, ping, elsewhere)).status, 200)
      yield* ToolClient.begin(port, ToolClient.toolCall(1, "hold", { name: "last" }), elsewhere)
      assert.strictEqual(yield* Queue.take(hands.begun), "last")
      assert.strictEqual((yield* ToolClient.post(port, ping, elsewhere)).status, 503)
      const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } }
      assert.strictEqual((yield* ToolClient.post(port, cancel, headers)).status, 202)
      assert.strictEqual(yield* Queue.take(hands.interrupted), "2")
      yield* Deferred.succeed(hands.release, undefined)
    }).pipe(Effect.provideService(CallLimits, { ofAccount, inAll: ofAccount + 1 }))
  )
})
