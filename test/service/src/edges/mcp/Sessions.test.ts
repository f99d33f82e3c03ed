/** Sessions as clients see them: they belong to a key and outlive the process. */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Layer, Queue } from "effect"
import { TestClock } from "effect/testing"
import { AccountActors } from "#src/features/accounts/AccountActors.ts"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { Authentication } from "#src/features/accounts/Authentication.ts"
import * as SessionCollection from "#src/edges/mcp/sessions/SessionCollection.ts"
import { Sessions } from "#src/edges/mcp/sessions/Sessions.ts"
import { OAuthDatabase } from "#src/edges/oauth/OAuthDatabase.ts"
import { EventStoreError } from "#streams/EventReader.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as ToolClient from "#test/support/src/edges/mcp/ToolClient.ts"
import * as ToolServer from "#test/support/src/edges/mcp/ToolServer.ts"

const ping = { jsonrpc: "2.0", id: 1, method: "ping" }

/** A separate key, so that other tests do not count. */
const issue = Effect.gen(function* () {
  const { key } = yield* TestServer.TestServer
  const { accountId } = yield* (yield* Authentication).authenticate(key)
  return yield* (yield* Accounts).issueKey({ accountId, name: "another" })
})

const bearer = Effect.map(issue, (key) => ({ authorization: `Bearer ${ApiKey.format(key)}` }))

const statusOf = (port: number, headers: Readonly<Record<string, string>>) =>
  Effect.map(ToolClient.post(port, ping, headers), ({ status }) => status)

const stored = Effect.flatMap(OAuthDatabase, (sql) =>
  Effect.map(sql<{ total: number }>`SELECT COUNT(*) AS total FROM mcp_sessions`, ([row]) => row?.total)
)

layer(ToolServer.layer)("a session", (it) => {
  it.effect("is open to the key that opened it, and to no other", () =>
    Effect.gen(function* () {
      const { otherKey } = yield* TestServer.TestServer
      const { port } = yield* ToolServer.start
      const headers = yield* ToolClient.session(port, yield* bearer)
      const others = [ToolServer.bearerOf(otherKey), yield* bearer]
      const unknown = { "mcp-session-id": "A".repeat(32) }
      const nonsense = { "mcp-session-id": "x" }
      const gone = yield* ToolClient.post(port, ping, { ...headers, ...unknown })
      assert.strictEqual(gone.status, 404)
      assert.deepNestedInclude(Object(gone.json), { id: 1, "error.code": -32001 })
      for (const other of others) {
        const reply = yield* ToolClient.post(port, ping, { ...headers, ...other })
        assert.strictEqual(reply.status, 404)
        assert.strictEqual(reply.text, gone.text)
        assert.strictEqual((yield* ToolClient.end(port, { ...headers, ...other })).status, 404)
      }
      assert.strictEqual(yield* statusOf(port, { ...headers, ...nonsense }), 404)
      assert.strictEqual(yield* statusOf(port, headers), 200)
    })
  )

  it.effect("ends for good when its client ends it", () =>
    Effect.gen(function* () {
      const { port, stop } = yield* ToolServer.start
      const headers = yield* ToolClient.session(port, yield* bearer)
      assert.strictEqual((yield* ToolClient.end(port, headers)).status, 204)
      assert.strictEqual(yield* statusOf(port, headers), 404)
      assert.strictEqual((yield* ToolClient.end(port, headers)).status, 404)
      yield* stop
      const { port: later } = yield* ToolServer.start
      assert.strictEqual(yield* statusOf(later, headers), 404)
    })
  )

  it.effect("continues after a restart, in its negotiated version and for its key only", () =>
    Effect.gen(function* () {
      const { otherKey } = yield* TestServer.TestServer
      const first = yield* ToolServer.start
      const mine = yield* bearer
      const opened = yield* ToolClient.post(first.port, ToolClient.initialize("2025-03-26"), mine)
      const headers = { ...mine, "mcp-session-id": String(opened.headers["mcp-session-id"]) }
      yield* first.stop
      const { port } = yield* ToolServer.start
      assert.strictEqual(yield* statusOf(port, { ...headers, ...ToolServer.bearerOf(otherKey) }), 404)
      assert.strictEqual(yield* statusOf(port, headers), 200)
      // Only this version has batches.
      const batch = [1, 2].map((id) => ToolClient.toolCall(id, "whoami"))
      assert.strictEqual((yield* ToolClient.post(port, batch, headers)).status, 200)
    })
  )

  it.effect("answers concurrent calls after a restart", () =>
    Effect.gen(function* () {
      const first = yield* ToolServer.start
      const headers = yield* ToolClient.session(first.port, yield* bearer)
      yield* first.stop
      const { port, sessions } = yield* ToolServer.start
      const whoami = ToolClient.toolCall(1, "whoami")
      const replies = yield* Effect.all(
        Array.from({ length: 20 }, () => ToolClient.post(port, whoami, headers)),
        { concurrency: "unbounded" }
      )
      for (const { json } of replies) assert.deepNestedInclude(Object(json), { "result.isError": false })
      assert.strictEqual(sessions.size(), 1)
    })
  )

  it.effect("leaves memory after half an hour without use, and returns with the next call", () =>
    Effect.gen(function* () {
      const { hands, port, sessions } = yield* ToolServer.start
      const headers = yield* ToolClient.session(port, yield* bearer)
      const busy = yield* ToolClient.session(port, yield* bearer)
      const call = yield* ToolClient.begin(port, ToolClient.toolCall(1, "hold", { name: "busy" }), busy)
      yield* Queue.take(hands.begun)
      yield* TestClock.adjust("29 minutes")
      assert.strictEqual(sessions.size(), 2)
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual(sessions.size(), 1)
      assert.strictEqual(yield* statusOf(port, headers), 200)
      assert.strictEqual(sessions.size(), 2)
      yield* Deferred.succeed(hands.release, undefined)
      yield* call.ended
      assert.lengthOf(ToolClient.messages(call.body()), 1)
    })
  )

  it.effect("stays while its key cannot be checked", () =>
    Effect.gen(function* () {
      const { port, sessions } = yield* ToolServer.start
      const headers = yield* ToolClient.session(port, yield* bearer)
      const actors = yield* AccountActors
      const away = { ...actors, current: () => Effect.fail(new EventStoreError({ reason: "away" })) }
      yield* Effect.provide(
        TestClock.adjust("61 minutes"),
        Layer.fresh(SessionCollection.layer).pipe(
          Layer.provide([Layer.succeed(AccountActors, away), Layer.succeed(Sessions, sessions)])
        )
      )
      assert.strictEqual(yield* statusOf(port, headers), 200)
    })
  )

  it.effect("ends with its key", () =>
    Effect.gen(function* () {
      const { port } = yield* ToolServer.start
      const before = yield* stored
      const key = yield* issue
      yield* ToolClient.session(port, { authorization: `Bearer ${ApiKey.format(key)}` })
      yield* ToolClient.session(port, yield* bearer)
      yield* (yield* Accounts).revokeKey(key.keyId)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* stored, (before ?? 0) + 1)
    })
  )
})
