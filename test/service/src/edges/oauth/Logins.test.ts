import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as Grant from "#domain/account/Grant.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { ScryptCost } from "#src/features/accounts/PasswordHash.ts"
import { Passwords } from "#src/features/accounts/Passwords.ts"
import { usd } from "#test/support/TestAccounts.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as PasswordNode from "#test/support/src/features/accounts/PasswordNode.ts"
import * as Keys from "#test/support/src/edges/http/KeyCalls.ts"
import * as OAuth from "#test/support/src/edges/oauth/OAuthCalls.ts"

/** A key of the account, as its holder sees it. */
const keyOf = (key: string, id: string) =>
  Effect.map(Keys.get({ authorization: key }, id), ({ json }) => ({ ...Object(json) }))

let accounts = 0

/** A separate account: its first key, and the services to issue others. */
const account = Effect.gen(function* () {
  const name = `oauth-${accounts++}`
  const key = yield* TestServer.openAccount(name)
  const { caller } = yield* OAuth.byKey(key)
  const issue = Effect.fnUntraced(function* (grant: Grant.Grant) {
    const issued = yield* (yield* Accounts).issueKey({ accountId: caller.accountId, name: "tools", grant })
    return { keyId: issued.keyId, header: `Key ${ApiKey.format(issued)}` }
  })
  return { key, accountId: caller.accountId, issue }
})

/** Signed in with the password of a separate account. */
const byPassword = Effect.gen(function* () {
  const { accountId, key } = yield* account
  return { key, accountId, ...(yield* OAuth.signedInByPassword(accountId)) }
})

const services = TestServer.layer().pipe(Layer.provide(Layer.succeed(ScryptCost, PasswordNode.cheap)))

layer(services)("logins", (it) => {
  it.effect("by password create a key named after the assistant, for the tools only", () =>
    Effect.gen(function* () {
      const { caller, key } = yield* byPassword
      assert.deepStrictEqual(caller.grant.scopes, ["requests:write", "requests:read", "files:write"])
      const { name, scopes } = yield* keyOf(key, caller.keyId)
      assert.deepStrictEqual([name, scopes], ["Assistant: Acme", caller.grant.scopes])
    })
  )

  it.effect("have the rights of their key: its models, its budget and its end", () =>
    Effect.gen(function* () {
      const { issue } = yield* account
      const scopes: Grant.Grant["scopes"] = ["requests:read", "keys:admin"]
      const limits = { modelEndpoints: [ModelEndpoint.make("sandbox/echo")], monthlyBudget: usd("5") }
      const { header } = yield* issue({ ...Grant.unlimited, scopes, ...limits })
      const { access } = yield* OAuth.signedIn(header)
      const { caller } = yield* OAuth.bearerOf(access)
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
        assert.strictEqual(yield* OAuth.stateOf(access), "alive")
        const { revokeKey, rotateKey } = yield* Accounts
        if (end === "expired") yield* TestClock.adjust("60 seconds")
        else if (end === "revoked") yield* revokeKey(keyId)
        else yield* rotateKey({ keyId, graceMs: end === "rotated" ? 0 : 3_600_000 })
        assert.strictEqual(yield* OAuth.stateOf(access), "invalid")
        yield* OAuth.refreshRefused(clientId, refresh)
        assert.strictEqual(yield* OAuth.stateOf(other.access), "alive")
      })
  )

  it.effect.each([
    { end: "changed", password: Redacted.make("another horse battery") },
    { end: "set again", password: OAuth.password },
    { end: "removed", password: null }
  ])("end with their password: $end", ({ password }) =>
    Effect.gen(function* () {
      const { access, accountId, clientId, key, refresh } = yield* byPassword
      const [byKey, other] = [yield* OAuth.signedIn(key), yield* byPassword]
      assert.strictEqual(yield* OAuth.stateOf(access), "alive")
      const { set } = yield* Passwords
      yield* set({ accountId, password })
      assert.strictEqual(yield* OAuth.stateOf(access), "invalid")
      yield* OAuth.refreshRefused(clientId, refresh)
      // Not those of the account's keys, nor of other accounts.
      assert.strictEqual(yield* OAuth.stateOf(byKey.access), "alive")
      assert.strictEqual(yield* OAuth.stateOf(other.access), "alive")
      // They do not become valid again.
      yield* set({ accountId, password: OAuth.password })
      assert.strictEqual(yield* OAuth.stateOf(access), "invalid")
    })
  )

  it.effect("a code is invalid once its password has changed", () =>
    Effect.gen(function* () {
      const { accountId } = yield* account
      const { client_id: clientId } = yield* OAuth.registered()
      const signedIn = yield* OAuth.byPassword(accountId)
      const code = OAuth.codeOf(yield* OAuth.allowed(yield* OAuth.begun(clientId), signedIn))
      yield* (yield* Passwords).set({ accountId, password: OAuth.password })
      assert.strictEqual(OAuth.errorOf(yield* OAuth.exchange(clientId, code)), "invalid_grant")
    })
  )

  it.effect("by a pasted key leave the key valid after they end", () =>
    Effect.gen(function* () {
      const { key } = yield* account
      const { access, clientId, refresh } = yield* OAuth.signedIn(key)
      yield* OAuth.revoke(clientId, refresh)
      assert.strictEqual(yield* OAuth.stateOf(access), "invalid")
      yield* OAuth.byKey(key)
    })
  )

  it.effect("end when a refresh token is revoked, together with their own key", () =>
    Effect.gen(function* () {
      const { access, caller, clientId, key, refresh } = yield* byPassword
      assert.strictEqual((yield* OAuth.revoke(clientId, refresh)).status, 200)
      assert.strictEqual(yield* OAuth.stateOf(access), "invalid")
      yield* OAuth.refreshRefused(clientId, refresh)
      assert.isString((yield* keyOf(key, caller.keyId))["revokedAt"])
    })
  )

  it.effect("end when a refresh token is reused later", () =>
    Effect.gen(function* () {
      const { caller, clientId, key, refresh } = yield* byPassword
      // In the first second of its clock, the library treats a used record as unused, because that time is 0.
      yield* TestClock.adjust("1 second")
      const next = yield* OAuth.refreshed(clientId, refresh)
      yield* TestClock.adjust("20 seconds")
      yield* OAuth.refreshRefused(clientId, refresh)
      assert.strictEqual(yield* OAuth.stateOf(next.access), "invalid")
      yield* OAuth.refreshRefused(clientId, next.refresh)
      assert.isString((yield* keyOf(key, caller.keyId))["revokedAt"])
    })
  )
})
