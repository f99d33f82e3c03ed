/** How sessions of accounts end: with their key or account, by others, and not by themselves. */
import { assert, describe, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import * as Grant from "#domain/account/Grant.ts"
import { AccountActors } from "#src/features/accounts/AccountActors.ts"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import * as OAuth from "#test/support/src/edges/oauth/OAuthCalls.ts"
import { assertEnvelope } from "#test/support/src/edges/http/Calls.ts"
import type * as ConsoleBrowser from "#test/support/src/edges/console/ConsoleBrowser.ts"
import { account, bodyOf, me, server, signedIn, works } from "#test/support/src/edges/console/SessionScene.ts"

layer(server, { excludeTestServices: true })("A session of an account", (it) => {
  it.effect("ends with the key: rotated, revoked or expired", () =>
    Effect.gen(function* () {
      const { keyId, text } = yield* account("session-of-rotated")
      const accounts = yield* Accounts
      const one = yield* signedIn(text)
      yield* accounts.rotateKey({ keyId, graceMs: 60_000 })
      assert.strictEqual(yield* works(one), 401)
      // The previous secret opens none, although it is still valid.
      assertEnvelope(yield* one.signIn({ api_key: text }), 401)

      const second = yield* account("session-of-revoked")
      const two = yield* signedIn(second.text)
      assert.strictEqual(yield* works(two), 200)
      yield* accounts.revokeKey(second.keyId)
      assert.strictEqual(yield* works(two), 401)
      assert.lengthOf(two.jar, 1)
      assert.isNull((yield* me(two)).account)
      assert.lengthOf(two.jar, 0)

      const now = yield* Clock.currentTimeMillis
      const third = yield* account("session-of-expiring", { expiresAt: now + 3_600_000 })
      const three = yield* signedIn(third.text)
      assert.strictEqual(Date.parse((yield* me(three)).account.expiresAt), now + 3_600_000)
    })
  )

  it.effect("ends with the account", () =>
    Effect.gen(function* () {
      const { accountId, text } = yield* account("session-of-erased")
      const one = yield* signedIn(text)
      const at = yield* Clock.currentTimeMillis
      yield* (yield* AccountActors).execute(accountId, { _tag: "Erase", at })
      assert.strictEqual(yield* works(one), 401)
      assert.isNull((yield* me(one)).account)
      assertEnvelope(yield* one.signIn({ api_key: text }), 401)
    })
  )

  it.effect("ends the sign-in of an assistant, and not that of another account's", () =>
    Effect.gen(function* () {
      const { text } = yield* account("session-of-assistant")
      const other = yield* account("session-of-another-assistant")
      const { access, clientId, refresh } = yield* OAuth.signedIn(`Key ${text}`)
      const kept = yield* OAuth.signedIn(`Key ${other.text}`)
      const [one, two] = [yield* signedIn(text), yield* signedIn(other.text)]
      const { data } = bodyOf(yield* one.call({ path: "/console/api/assistants" }))
      assert.lengthOf(data, 1)
      assert.strictEqual(data[0].name, "Acme")
      const end = { method: "DELETE", path: `/console/api/assistants/${data[0].id}` }
      assertEnvelope(yield* two.call(end), 404)
      assert.strictEqual(yield* OAuth.stateOf(access), "alive")
      assert.strictEqual((yield* one.call(end)).status, 204)
      assert.strictEqual(yield* OAuth.stateOf(access), "invalid")
      yield* OAuth.refreshRefused(clientId, refresh)
      assert.strictEqual(yield* OAuth.stateOf(kept.access), "alive")
    })
  )

  describe("is ended", () => {
    it.effect("by its own page, by another session, and with all others", () =>
      Effect.gen(function* () {
        const { text } = yield* account("session-ended")
        const [one, two, three] = [yield* signedIn(text), yield* signedIn(text), yield* signedIn(text)]
        const copy = new Map(one.jar)
        const out = yield* one.call({ method: "DELETE", path: "/console/session?kind=account" })
        assert.strictEqual(out.status, 200)
        assert.isNull(bodyOf(out).account)
        assert.lengthOf(one.jar, 0)
        for (const [name, value] of copy) one.jar.set(name, value)
        assert.strictEqual(yield* works(one), 401)

        const { sessionId } = (yield* me(three)).account
        const end = (id: string) =>
          two.call({ method: "DELETE", path: `/console/session/${id}?kind=account` })
        assertEnvelope(yield* end("n4bQgYhMfWWaL-qgxVrQFQ"), 404)
        assert.strictEqual((yield* end(sessionId)).status, 204)
        assert.strictEqual(yield* works(three), 401)

        const four = yield* signedIn(text)
        const others = yield* two.call({ method: "DELETE", path: "/console/session/all?kind=account" })
        assert.strictEqual(others.status, 204)
        assert.deepStrictEqual([yield* works(two), yield* works(four)], [200, 401])
        assertEnvelope(yield* two.call({ method: "DELETE", path: "/console/session/all?kind=operator" }), 404)
      })
    )

    it.effect("by the same key only, unless the key administers keys", () =>
      Effect.gen(function* () {
        const { accountId, text } = yield* account("session-of-admin")
        const { issueKey } = yield* Accounts
        const reader = yield* issueKey({
          accountId,
          name: "reader",
          grant: { ...Grant.unlimited, scopes: ["requests:read"] }
        })
        const [admin, one, two] = [
          yield* signedIn(text),
          yield* signedIn(ApiKey.format(reader)),
          yield* signedIn(ApiKey.format(reader))
        ]
        const seenBy = (who: ConsoleBrowser.ConsoleBrowser) =>
          Effect.map(who.call({ path: "/console/session/all" }), (reply) => bodyOf(reply).account.length)
        assert.deepStrictEqual([yield* seenBy(admin), yield* seenBy(one)], [3, 2])
        yield* one.call({ method: "DELETE", path: "/console/session/all?kind=account" })
        assert.deepStrictEqual([yield* works(admin), yield* works(one), yield* works(two)], [200, 200, 401])
      })
    )
  })
})
