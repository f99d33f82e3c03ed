import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { OAuthDatabase } from "#src/edges/oauth/OAuthDatabase.ts"
import { mostOfLogin, mostUsedOfLogin } from "#src/edges/oauth/RecordAdapter.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as OAuth from "#test/support/src/edges/oauth/OAuthCalls.ts"

const refreshed = (clientId: string, refresh: string) =>
  Effect.map(OAuth.refresh(clientId, refresh), OAuth.tokensOf)

/** The number of rows of each kind for a login. */
const kept = Effect.fnUntraced(function* (loginId: string) {
  const sql = yield* OAuthDatabase
  const rows = yield* sql`
    SELECT count(*) FILTER (WHERE model = 'AccessToken') AS access,
      count(*) FILTER (WHERE model = 'RefreshToken' AND consumed_at IS NULL) AS fresh,
      count(*) FILTER (WHERE model = 'RefreshToken' AND consumed_at IS NOT NULL) AS used
    FROM oauth_records WHERE login_id = ${loginId}`
  return { ...rows[0] }
})

const signedIn = Effect.gen(function* () {
  const { key } = yield* TestServer.TestServer
  const tokens = yield* OAuth.signedIn(key)
  const { loginId } = yield* OAuth.bearerOf(tokens.access)
  return { ...tokens, loginId }
})

layer(TestServer.layer())("refreshes of one sign-in", (it) => {
  it.effect("are limited to 30 a minute, and a rejected one does not use up its token", () =>
    Effect.gen(function* () {
      const { clientId, refresh } = yield* signedIn
      let last = refresh
      for (let count = 0; count < 30; count++) last = (yield* refreshed(clientId, last)).refresh
      const early = yield* OAuth.refresh(clientId, last)
      assert.deepStrictEqual([early.status, OAuth.errorOf(early)], [429, "temporarily_unavailable"])
      assert.strictEqual(early.headers["retry-after"], "2")
      const other = yield* signedIn
      yield* refreshed(other.clientId, other.refresh)
      yield* TestClock.adjust("2 seconds")
      yield* refreshed(clientId, last)
    })
  )

  it.effect("with one token within its grace period leave the newest ten valid", () =>
    Effect.gen(function* () {
      const { clientId, loginId, refresh } = yield* signedIn
      const all: Array<OAuth.Tokens> = []
      for (let count = 0; count < 14; count++) {
        yield* TestClock.adjust("1 second")
        all.push(yield* refreshed(clientId, refresh))
      }
      assert.deepStrictEqual(yield* kept(loginId), { access: 15, fresh: 10, used: 1 })
      const gone = yield* OAuth.refresh(clientId, all[3]?.refresh ?? "")
      assert.deepStrictEqual([gone.status, OAuth.errorOf(gone)], [400, "invalid_grant"])
      // This signs no user out.
      yield* refreshed(clientId, all[4]?.refresh ?? "")
    })
  )

  it.effect("leave few rows, however many there were", () =>
    Effect.gen(function* () {
      const { clientId, loginId, refresh } = yield* signedIn
      let last = refresh
      for (let count = 0; count < mostUsedOfLogin + 5; count++) {
        yield* TestClock.adjust("1 second")
        last = (yield* refreshed(clientId, last)).refresh
      }
      const access = mostOfLogin["AccessToken"]
      assert.deepStrictEqual(yield* kept(loginId), { access, fresh: 1, used: mostUsedOfLogin })
      yield* refreshed(clientId, last)
    })
  )
})
