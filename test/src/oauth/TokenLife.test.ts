import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as Grant from "#domain/account/Grant.ts"
import { KeyId } from "#domain/Ids.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { Accounts } from "#src/accounts/Accounts.ts"
import * as ApiKey from "#src/accounts/ApiKey.ts"
import { ScryptCost } from "#src/accounts/PasswordHash.ts"
import { Passwords } from "#src/accounts/Passwords.ts"
import { AccessTokens } from "#src/oauth/AccessTokens.ts"
import { OAuthDatabase } from "#src/oauth/OAuthDatabase.ts"
import { Records } from "#src/oauth/Records.ts"
import { usd } from "#test/support/TestAccounts.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as PasswordNode from "../accounts/PasswordNode.ts"
import * as Keys from "../http/KeyCalls.ts"
import * as OAuth from "./OAuthCalls.ts"

/** `alive`, or why the token is refused. */
const stateOf = Effect.fnUntraced(function* (access: string) {
  const { authenticate } = yield* AccessTokens
  return yield* authenticate(`Bearer ${access}`).pipe(
    Effect.as("alive"),
    Effect.catchTag("BearerRefused", ({ reason }) => Effect.succeed(reason))
  )
})

const refused = Effect.fnUntraced(function* (clientId: string, refresh: string) {
  const reply = yield* OAuth.refresh(clientId, refresh)
  assert.deepStrictEqual([reply.status, OAuth.errorOf(reply)], [400, "invalid_grant"])
})

const refreshed = (clientId: string, refresh: string) =>
  Effect.map(OAuth.refresh(clientId, refresh), OAuth.tokensOf)

/** A key of the account, as its holder sees it. */
const keyOf = (key: string, id: string) =>
  Effect.map(Keys.get({ authorization: key }, id), ({ json }) => ({ ...Object(json) }))

/** For the records alone: a clock would have every second of it to tell. */
const later = Effect.fnUntraced(function* (ms: number) {
  const sql = yield* OAuthDatabase
  yield* sql`UPDATE oauth_records SET expires_at = expires_at - ${ms}`
})

const daysLater = (days: number) => later(days * 86_400_000)

let accounts = 0

/** An account of the test's own: its first key, and what it takes to issue others. */
const account = Effect.gen(function* () {
  const name = `oauth-${accounts++}`
  const key = yield* TestServer.openAccount(name)
  const { caller } = yield* OAuth.byKey(key)
  const issue = Effect.fnUntraced(function* (grant: Grant.Grant) {
    const issued = yield* (yield* Accounts).issueKey({ accountId: caller.accountId, name: "tools", grant })
    return { keyId: issued.keyId, header: `Key ${ApiKey.format(issued)}` }
  })
  return { key, keyId: KeyId.make(name), accountId: caller.accountId, issue }
})

/** Signed in with a password, hence with a key of the login's own. */
const byPassword = Effect.gen(function* () {
  const { accountId, key } = yield* account
  const { client_id: clientId } = yield* OAuth.registered()
  const signedIn = yield* OAuth.byPassword(accountId)
  const code = OAuth.codeOf(yield* OAuth.allowed(yield* OAuth.begun(clientId), signedIn))
  const tokens = OAuth.tokensOf(yield* OAuth.exchange(clientId, code))
  const { caller } = yield* (yield* AccessTokens).authenticate(`Bearer ${tokens.access}`)
  return { key, accountId, clientId, caller, ...tokens }
})

const services = TestServer.layer().pipe(Layer.provide(Layer.succeed(ScryptCost, PasswordNode.cheap)))

layer(services)("tokens", (it) => {
  it.effect("a code is good for a minute", () =>
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

  it.effect("an access token is good for an hour", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const { access } = yield* OAuth.signedIn(key)
      yield* later(59 * 60_000)
      assert.strictEqual(yield* stateOf(access), "alive")
      yield* later(60_000)
      assert.strictEqual(yield* stateOf(access), "invalid")
    })
  )

  it.effect("a refresh token is good for 60 days, and the one in its place for 60 more", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const { clientId, refresh } = yield* OAuth.signedIn(key)
      yield* daysLater(59)
      const next = yield* refreshed(clientId, refresh)
      yield* daysLater(59)
      const last = yield* refreshed(clientId, next.refresh)
      assert.strictEqual(yield* stateOf(last.access), "alive")
      yield* daysLater(60)
      yield* refused(clientId, last.refresh)
    })
  )

  it.effect(
    "a refresh token is taken again for 20 seconds: calls that are refused at once refresh at once",
    () =>
      Effect.gen(function* () {
        const { key } = yield* TestServer.TestServer
        const { clientId, refresh } = yield* OAuth.signedIn(key)
        const both = yield* Effect.all([refreshed(clientId, refresh), refreshed(clientId, refresh)], {
          concurrency: 2
        })
        yield* TestClock.adjust("19 seconds")
        const late = yield* refreshed(clientId, refresh)
        for (const { access, refresh } of [...both, late]) {
          assert.strictEqual(yield* stateOf(access), "alive")
          yield* refreshed(clientId, refresh)
        }
      })
  )

  it.effect("a refresh token that comes again later ends the sign-in", () =>
    Effect.gen(function* () {
      const { caller, clientId, key, refresh } = yield* byPassword
      const next = yield* refreshed(clientId, refresh)
      yield* TestClock.adjust("20 seconds")
      yield* refused(clientId, refresh)
      assert.strictEqual(yield* stateOf(next.access), "invalid")
      yield* refused(clientId, next.refresh)
      assert.isString((yield* keyOf(key, caller.keyId))["revokedAt"])
    })
  )

  it.effect("a used refresh token is remembered for a week, and means nothing after that", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const { clientId, refresh } = yield* OAuth.signedIn(key)
      const next = yield* refreshed(clientId, refresh)
      yield* daysLater(7)
      yield* refused(clientId, refresh)
      yield* refreshed(clientId, next.refresh)
    })
  )

  it.effect("an access token that is given back ends alone", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const { access, clientId, refresh } = yield* OAuth.signedIn(key)
      const other = yield* refreshed(clientId, refresh)
      const reply = yield* OAuth.revoke(clientId, access)
      assert.deepStrictEqual([reply.status, reply.text], [200, ""])
      assert.strictEqual(yield* stateOf(access), "invalid")
      assert.strictEqual(yield* stateOf(other.access), "alive")
      yield* refreshed(clientId, other.refresh)
    })
  )

  it.effect("a refresh token that is given back ends the sign-in, and the key that was made for it", () =>
    Effect.gen(function* () {
      const { access, caller, clientId, key, refresh } = yield* byPassword
      assert.strictEqual((yield* OAuth.revoke(clientId, refresh)).status, 200)
      assert.strictEqual(yield* stateOf(access), "invalid")
      yield* refused(clientId, refresh)
      assert.isString((yield* keyOf(key, caller.keyId))["revokedAt"])
    })
  )

  it.effect("a pasted key outlives the sign-in", () =>
    Effect.gen(function* () {
      const { key } = yield* account
      const { access, clientId, refresh } = yield* OAuth.signedIn(key)
      yield* OAuth.revoke(clientId, refresh)
      assert.strictEqual(yield* stateOf(access), "invalid")
      yield* OAuth.byKey(key)
    })
  )

  it.effect("tokens of others and texts that are none are given back without effect", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const { access, refresh } = yield* OAuth.signedIn(key)
      const other = yield* OAuth.registered()
      for (const token of [access, refresh, "none"]) {
        const { headers, status, text } = yield* OAuth.revoke(other.client_id, token)
        assert.deepStrictEqual([status, text, headers["cache-control"]], [200, "", "no-store"])
      }
      assert.strictEqual(yield* stateOf(access), "alive")
    })
  )

  it.effect("a password gives a key of its own, named after the assistant, for the tools alone", () =>
    Effect.gen(function* () {
      const { caller, key } = yield* byPassword
      assert.deepStrictEqual(caller.grant.scopes, ["requests:write", "requests:read", "files:write"])
      const { name, scopes } = yield* keyOf(key, caller.keyId)
      assert.deepStrictEqual([name, scopes], ["Assistant: Acme", caller.grant.scopes])
    })
  )

  it.effect("give what the key gives: its models, its budget and its end", () =>
    Effect.gen(function* () {
      const { issue } = yield* account
      const scopes: Grant.Grant["scopes"] = ["requests:read", "keys:admin"]
      const limits = { modelEndpoints: [ModelEndpoint.make("sandbox/echo")], monthlyBudget: usd("5") }
      const { header } = yield* issue({ ...Grant.unlimited, scopes, ...limits })
      const { access } = yield* OAuth.signedIn(header)
      const { caller } = yield* (yield* AccessTokens).authenticate(`Bearer ${access}`)
      assert.deepStrictEqual(caller.grant, { ...Grant.unlimited, scopes: ["requests:read"], ...limits })
    })
  )

  it.effect.each(["revoked", "rotated", "rotated with a grace", "expired"] as const)(
    "end with their key: %s",
    (end) =>
      Effect.gen(function* () {
        const { key, issue } = yield* account
        const now = yield* Clock.currentTimeMillis
        const expiresAt = end === "expired" ? now + 60_000 : null
        const { header, keyId } = yield* issue({ ...Grant.unlimited, expiresAt })
        const { access, clientId, refresh } = yield* OAuth.signedIn(header)
        const other = yield* OAuth.signedIn(key)
        assert.strictEqual(yield* stateOf(access), "alive")
        const { revokeKey, rotateKey } = yield* Accounts
        if (end === "expired") yield* TestClock.adjust("60 seconds")
        else if (end === "revoked") yield* revokeKey(keyId)
        else yield* rotateKey({ keyId, graceMs: end === "rotated" ? 0 : 3_600_000 })
        assert.strictEqual(yield* stateOf(access), "invalid")
        yield* refused(clientId, refresh)
        assert.strictEqual(yield* stateOf(other.access), "alive")
      })
  )

  it.effect.each([
    { end: "changed", password: Redacted.make("another horse battery") },
    { end: "set again", password: OAuth.password },
    { end: "removed", password: null }
  ])("end with the password that they were given for: $end", ({ password }) =>
    Effect.gen(function* () {
      const { access, accountId, clientId, key, refresh } = yield* byPassword
      const [byKey, other] = [yield* OAuth.signedIn(key), yield* byPassword]
      assert.strictEqual(yield* stateOf(access), "alive")
      const { set } = yield* Passwords
      yield* set({ accountId, password })
      assert.strictEqual(yield* stateOf(access), "invalid")
      yield* refused(clientId, refresh)
      // Not those of the account's keys, nor of other accounts.
      assert.strictEqual(yield* stateOf(byKey.access), "alive")
      assert.strictEqual(yield* stateOf(other.access), "alive")
      // Nor do they come to life again.
      yield* set({ accountId, password: OAuth.password })
      assert.strictEqual(yield* stateOf(access), "invalid")
    })
  )

  it.effect("a code is good for nothing once the password behind it has changed", () =>
    Effect.gen(function* () {
      const { accountId } = yield* account
      const { client_id: clientId } = yield* OAuth.registered()
      const signedIn = yield* OAuth.byPassword(accountId)
      const code = OAuth.codeOf(yield* OAuth.allowed(yield* OAuth.begun(clientId), signedIn))
      yield* (yield* Passwords).set({ accountId, password: OAuth.password })
      assert.strictEqual(OAuth.errorOf(yield* OAuth.exchange(clientId, code)), "invalid_grant")
    })
  )

  it.effect.each([
    { what: "for another resource", fields: { aud: "https://elsewhere.dev/mcp" } },
    { what: "of another scope", fields: { scope: "other" } },
    { what: "of no login", fields: { accountId: "nobody" } }
  ])("$what are refused", ({ fields }) =>
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
      assert.strictEqual(yield* stateOf("same"), "alive")
      assert.strictEqual(yield* stateOf("other"), "invalid")
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
  ])("of `%s` there is none", (header) =>
    Effect.gen(function* () {
      const { authenticate } = yield* AccessTokens
      const { reason } = yield* Effect.flip(authenticate(header))
      assert.strictEqual(reason, "missing")
    })
  )

  it.effect("are no other kind of what the server gives out", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const { access, clientId, refresh } = yield* OAuth.signedIn(key)
      assert.strictEqual(yield* stateOf(refresh), "invalid")
      assert.strictEqual(yield* stateOf(clientId), "invalid")
      yield* refused(clientId, access)
    })
  )
})
