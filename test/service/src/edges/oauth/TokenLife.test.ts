import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { AccessTokens } from "#src/edges/oauth/AccessTokens.ts"
import { OAuthDatabase } from "#src/edges/oauth/OAuthDatabase.ts"
import { Records } from "#src/edges/oauth/Records.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as OAuth from "#test/support/src/edges/oauth/OAuthCalls.ts"

/** Only for the records, because a test clock would run through every second of it. */
const later = Effect.fnUntraced(function* (ms: number) {
  const sql = yield* OAuthDatabase
  yield* sql`UPDATE oauth_records SET expires_at = expires_at - ${ms}`
})

const daysLater = (days: number) => later(days * 86_400_000)

layer(TestServer.layer())("tokens", (it) => {
  it.effect("a code is valid for a minute", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const { client_id: clientId } = yield* OAuth.registered()
      const [early, late] = [yield* OAuth.code(clientId, key), yield* OAuth.code(clientId, key)]
      yield* TestClock.adjust("59 seconds")
      OAuth.tokensOf(yield* OAuth.exchange(clientId, early))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(OAuth.errorOf(yield* OAuth.exchange(clientId, late)), "invalid_grant")
    })
  )

  it.effect("an access token is valid for an hour", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const { access } = yield* OAuth.signedIn(key)
      yield* later(59 * 60_000)
      assert.strictEqual(yield* OAuth.stateOf(access), "alive")
      yield* later(60_000)
      assert.strictEqual(yield* OAuth.stateOf(access), "invalid")
    })
  )

  it.effect("a refresh token is valid for 60 days, and its successor for 60 more", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const { clientId, refresh } = yield* OAuth.signedIn(key)
      yield* daysLater(59)
      const next = yield* OAuth.refreshed(clientId, refresh)
      yield* daysLater(59)
      const last = yield* OAuth.refreshed(clientId, next.refresh)
      assert.strictEqual(yield* OAuth.stateOf(last.access), "alive")
      yield* daysLater(60)
      yield* OAuth.refreshRefused(clientId, last.refresh)
    })
  )

  it.effect("a refresh token is accepted again for 20 seconds, for concurrent refreshes", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const { clientId, refresh } = yield* OAuth.signedIn(key)
      const both = yield* Effect.all(
        [OAuth.refreshed(clientId, refresh), OAuth.refreshed(clientId, refresh)],
        {
          concurrency: 2
        }
      )
      yield* TestClock.adjust("19 seconds")
      const late = yield* OAuth.refreshed(clientId, refresh)
      for (const { access, refresh } of [...both, late]) {
        assert.strictEqual(yield* OAuth.stateOf(access), "alive")
        yield* OAuth.refreshed(clientId, refresh)
      }
    })
  )

  it.effect("a used refresh token is remembered for a week, and is unknown after that", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const { clientId, refresh } = yield* OAuth.signedIn(key)
      const next = yield* OAuth.refreshed(clientId, refresh)
      yield* daysLater(7)
      yield* OAuth.refreshRefused(clientId, refresh)
      yield* OAuth.refreshed(clientId, next.refresh)
    })
  )

  it.effect("a revoked access token ends alone", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const { access, clientId, refresh } = yield* OAuth.signedIn(key)
      const other = yield* OAuth.refreshed(clientId, refresh)
      const reply = yield* OAuth.revoke(clientId, access)
      assert.deepStrictEqual([reply.status, reply.text], [200, ""])
      assert.strictEqual(yield* OAuth.stateOf(access), "invalid")
      assert.strictEqual(yield* OAuth.stateOf(other.access), "alive")
      yield* OAuth.refreshed(clientId, other.refresh)
    })
  )

  it.effect("revoking foreign and malformed tokens has no effect", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const { access, refresh } = yield* OAuth.signedIn(key)
      const other = yield* OAuth.registered()
      for (const token of [access, refresh, "none"]) {
        const { headers, status, text } = yield* OAuth.revoke(other.client_id, token)
        assert.deepStrictEqual([status, text, headers["cache-control"]], [200, "", "no-store"])
      }
      assert.strictEqual(yield* OAuth.stateOf(access), "alive")
    })
  )

  it.effect.each([
    { what: "for another resource", fields: { aud: "https://elsewhere.dev/mcp" } },
    { what: "of another scope", fields: { scope: "other" } },
    { what: "of no login", fields: { accountId: "nobody" } }
  ])("$what are rejected", ({ fields }) =>
    Effect.gen(function* () {
      const { key, urls } = yield* TestServer.TestServer
      const { access, clientId } = yield* OAuth.signedIn(key)
      const records = yield* Records
      const found = yield* records.find({ model: "AccessToken", id: access })
      assert.deepInclude(found?.payload, { aud: `${urls.mcpUrl}/mcp`, scope: "mcp", clientId })
      const expiresAt = (yield* Clock.currentTimeMillis) + 60_000
      const record = { model: "AccessToken", expiresAt, grantId: null, loginId: null }
      yield* records.put({ ...record, id: "same", payload: { ...found?.payload } })
      yield* records.put({ ...record, id: "other", payload: { ...found?.payload, ...fields } })
      assert.strictEqual(yield* OAuth.stateOf("same"), "alive")
      assert.strictEqual(yield* OAuth.stateOf("other"), "invalid")
    })
  )

  it.effect.each([
    undefined,
    "",
    "Bearer",
    "Bearer ",
    "Basic YTpi",
    "Key alpha:secret",
    "Bearer a b",
    "token"
  ])("`%s` does not return them", (header) =>
    Effect.gen(function* () {
      const { authenticate } = yield* AccessTokens
      const { reason } = yield* Effect.flip(authenticate(header))
      assert.strictEqual(reason, "missing")
    })
  )

  it.effect("are not accepted in place of other credentials", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const { access, clientId, refresh } = yield* OAuth.signedIn(key)
      assert.strictEqual(yield* OAuth.stateOf(refresh), "invalid")
      assert.strictEqual(yield* OAuth.stateOf(clientId), "invalid")
      yield* OAuth.refreshRefused(clientId, access)
    })
  )
})
