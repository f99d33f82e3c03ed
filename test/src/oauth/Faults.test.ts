import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { AccessTokens } from "#src/oauth/AccessTokens.ts"
import { Interactions } from "#src/oauth/Interactions.ts"
import { OAuthDatabase } from "#src/oauth/OAuthDatabase.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as OAuth from "./OAuthCalls.ts"

layer(TestServer.layer(), { excludeTestServices: true })("storage of sign-ins that fails", (it) => {
  it.effect("is told in the protocol's words, tells nothing of itself, and ends nothing", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const sql = yield* OAuthDatabase
      const { access, clientId, refresh } = yield* OAuth.signedIn(key)
      const visit = yield* OAuth.begun(clientId)
      yield* sql`ALTER TABLE oauth_records RENAME TO mislaid`
      const replies = [
        yield* OAuth.refresh(clientId, refresh),
        yield* OAuth.revoke(clientId, refresh),
        yield* OAuth.register()
      ]
      for (const reply of replies) {
        assert.strictEqual(reply.status, 500)
        assert.strictEqual(OAuth.errorOf(reply), "server_error")
        assert.notInclude(reply.text, "oauth_records")
        assert.strictEqual(reply.headers["access-control-allow-origin"], "*")
      }
      const page = yield* OAuth.authorize(clientId)
      assert.strictEqual(page.status, 500)
      assert.match(page.headers["content-type"] ?? "", /^text\/html/)
      assert.notInclude(page.text, "oauth_records")
      const { pending } = yield* Interactions
      const { authenticate } = yield* AccessTokens
      const failed = yield* Effect.flip(pending(OAuth.browser(visit.cookies), visit.uid))
      assert.strictEqual(failed._tag, "SqlError")
      assert.strictEqual((yield* Effect.flip(authenticate(`Bearer ${access}`)))._tag, "SqlError")
      yield* sql`ALTER TABLE mislaid RENAME TO oauth_records`
      yield* authenticate(`Bearer ${access}`)
      OAuth.tokensOf(yield* OAuth.refresh(clientId, refresh))
      yield* OAuth.allowed(visit, yield* OAuth.byKey(key))
    })
  )
})
