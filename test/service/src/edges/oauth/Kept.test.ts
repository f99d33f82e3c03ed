import * as fs from "node:fs/promises"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer } from "effect"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import { ScryptCost } from "#src/features/accounts/PasswordHash.ts"
import { Passwords } from "#src/features/accounts/Passwords.ts"
import type { AccessTokens } from "#src/edges/oauth/AccessTokens.ts"
import { AuthorizationServer } from "#src/edges/oauth/AuthorizationServer.ts"
import * as Collection from "#src/edges/oauth/Collection.ts"
import { Logins } from "#src/edges/oauth/Logins.ts"
import * as OAuth from "#src/edges/oauth/OAuth.ts"
import { OAuthDatabase } from "#src/edges/oauth/OAuthDatabase.ts"
import { Records } from "#src/edges/oauth/Records.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as PasswordNode from "#test/support/src/features/accounts/PasswordNode.ts"
import * as Calls from "#test/support/src/edges/oauth/OAuthCalls.ts"

const file = Effect.gen(function* () {
  const sql = yield* OAuthDatabase
  const [main] = yield* sql`PRAGMA database_list`
  return String(main?.["file"])
})

/** Everything written, in any file of the database. */
const written = Effect.gen(function* () {
  const name = yield* file
  const parts = yield* Effect.promise(() =>
    Promise.all([name, `${name}-wal`].map((part) => fs.readFile(part).catch(() => Buffer.alloc(0))))
  )
  return Buffer.concat(parts).toString("latin1")
})

/** As after a restart: another server over the same file. */
const restarted = <A, E>(use: Effect.Effect<A, E, AccessTokens | AuthorizationServer | Logins>) =>
  Effect.flatMap(file, (filename) =>
    Effect.provide(
      use,
      Layer.fresh(OAuth.layer).pipe(Layer.provide(Layer.fresh(OAuthDatabase.layerAt(filename))))
    )
  )

const count = (table: string, loginId: string) =>
  Effect.gen(function* () {
    const sql = yield* OAuthDatabase
    const column = table === "logins" ? "id" : "login_id"
    const rows = yield* sql`SELECT 1 FROM ${sql(table)} WHERE ${sql(column)} = ${loginId}`
    return rows.length
  })

const collect = Effect.flatten(Collection.make)

const age = Effect.fnUntraced(function* (loginId: string, ms: number) {
  const sql = yield* OAuthDatabase
  yield* sql`UPDATE oauth_records SET expires_at = expires_at - ${ms} WHERE login_id = ${loginId}`
  yield* sql`UPDATE logins SET created_at = created_at - ${ms} WHERE id = ${loginId}`
})

const day = 86_400_000

const byPassword = Effect.fnUntraced(function* (key: string) {
  const { caller } = yield* Calls.byKey(key)
  return yield* Calls.signedInByPassword(caller.accountId)
})

const services = TestServer.layer().pipe(Layer.provide(Layer.succeed(ScryptCost, PasswordNode.cheap)))

layer(services, { excludeTestServices: true })("stored sign-ins", (it) => {
  it.effect("contain no usable secret: neither tokens nor codes nor secrets", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const confidential = yield* Calls.registered({
        redirect_uris: [Calls.redirectUri],
        token_endpoint_auth_method: "client_secret_post"
      })
      const { client_id: clientId } = yield* Calls.registered()
      const visit = yield* Calls.begun(clientId)
      const code = Calls.codeOf(yield* Calls.allowed(visit, yield* Calls.byKey(key)))
      const first = Calls.tokensOf(yield* Calls.exchange(clientId, code))
      const next = Calls.tokensOf(yield* Calls.refresh(clientId, first.refresh))
      const text = yield* written
      assert.include(text, clientId)
      // A sign-in lasts for one authorization.
      assert.lengthOf(yield* (yield* OAuthDatabase)`SELECT id FROM oauth_records WHERE model = 'Session'`, 0)
      const secrets = [
        code,
        first.access,
        first.refresh,
        next.access,
        next.refresh,
        confidential.client_secret ?? "",
        key.slice(key.indexOf(":") + 1)
      ]
      for (const secret of secrets) {
        assert.isAtLeast(secret.length, 40)
        assert.notInclude(text, secret)
      }
    })
  )

  it.effect("survive a restart: clients, pending sign-ins, and tokens", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const { access, clientId, refresh } = yield* Calls.signedIn(key)
      const visit = yield* Calls.begun(clientId)
      yield* restarted(
        Effect.gen(function* () {
          const { loginId } = yield* Calls.bearerOf(access)
          assert.isNotNull(yield* (yield* Logins).caller(loginId))
          const { answer } = yield* AuthorizationServer
          const asked = yield* answer({
            method: "POST",
            target: "/oauth/token",
            headers: { "content-type": "application/x-www-form-urlencoded" },
            body: Buffer.from(
              `grant_type=refresh_token&client_id=${clientId}&refresh_token=${encodeURIComponent(refresh)}`
            )
          })
          assert.strictEqual(asked.status, 200, asked.body)
          const waiting = yield* answer({
            method: "GET",
            target: `/oauth/authorize/${visit.uid}`,
            headers: { cookie: visit.cookies }
          })
          // Its cookie is known, and nothing has been decided, so the user is asked again.
          assert.strictEqual(waiting.status, 303, waiting.body)
          assert.match(waiting.headers["location"] ?? "", /\/oauth\/interaction\//)
        })
      )
    })
  )

  it.effect("are ended for good by hand, with their keys", () =>
    Effect.gen(function* () {
      const { otherKey } = yield* TestServer.TestServer
      const { access, caller, loginId } = yield* byPassword(otherKey)
      const { end } = yield* Logins
      yield* end(loginId)
      yield* end(loginId)
      assert.strictEqual((yield* Effect.flip(Calls.bearerOf(access)))._tag, "BearerRefused")
      const { rotateKey } = yield* Accounts
      const over = yield* Effect.flip(rotateKey({ keyId: caller.keyId, graceMs: 0 }))
      assert.strictEqual(over._tag, "KeyRevoked")
    })
  )

  it.effect("are removed when expired, and not before", () =>
    Effect.gen(function* () {
      const { otherKey } = yield* TestServer.TestServer
      const { access, caller, clientId, loginId } = yield* byPassword(otherKey)
      yield* age(loginId, 59 * day)
      yield* collect
      // The refresh token and the grant; the code and the access token have expired.
      assert.strictEqual(yield* count("oauth_records", loginId), 2)
      assert.strictEqual(yield* count("logins", loginId), 1)
      yield* age(loginId, day)
      yield* collect
      assert.strictEqual(yield* count("oauth_records", loginId), 0)
      assert.strictEqual(yield* count("logins", loginId), 0)
      const { rotateKey } = yield* Accounts
      const over = yield* Effect.flip(rotateKey({ keyId: caller.keyId, graceMs: 0 }))
      assert.strictEqual(over._tag, "KeyRevoked")
      assert.strictEqual((yield* Effect.flip(Calls.bearerOf(access)))._tag, "BearerRefused")
      const { find } = yield* Records
      assert.isNotNull(yield* find({ model: "Client", id: clientId }))
    })
  )

  it.effect("a sign-in that no client uses is ended after half an hour", () =>
    Effect.gen(function* () {
      const { otherKey } = yield* TestServer.TestServer
      const { caller } = yield* Calls.byKey(otherKey)
      const { caller: callerOf, make } = yield* Logins
      const signedIn = yield* Calls.byPassword(caller.accountId)
      const { id } = yield* make({ signedIn, clientId: "client", clientName: "Acme" })
      yield* collect
      assert.isNotNull(yield* callerOf(id))
      yield* age(id, 30 * 60_000 + 1)
      yield* collect
      assert.isNull(yield* callerOf(id))
    })
  )

  it.effect("are removed with their key when the password has changed", () =>
    Effect.gen(function* () {
      const { key, otherKey } = yield* TestServer.TestServer
      const [changed, kept] = [yield* byPassword(otherKey), yield* byPassword(key)]
      const byKey = yield* Calls.bearerOf((yield* Calls.signedIn(otherKey)).access)
      yield* collect
      const counts = Effect.forEach([changed, kept, byKey], ({ loginId }) => count("logins", loginId))
      assert.deepStrictEqual(yield* counts, [1, 1, 1])
      const { accountId } = changed.caller
      yield* (yield* Passwords).set({ accountId, password: null })
      yield* collect
      assert.deepStrictEqual(yield* counts, [0, 1, 1])
      assert.strictEqual(yield* count("oauth_records", changed.loginId), 0)
      const { rotateKey } = yield* Accounts
      const over = yield* Effect.flip(rotateKey({ keyId: changed.caller.keyId, graceMs: 0 }))
      assert.strictEqual(over._tag, "KeyRevoked")
      yield* Calls.bearerOf(kept.access)
    })
  )

  it.effect("are loaded for the next caller when the first disconnects during the load", () =>
    Effect.gen(function* () {
      const { urls } = yield* TestServer.TestServer
      const issuer = yield* restarted(
        Effect.gen(function* () {
          const { provider } = yield* AuthorizationServer
          const first = yield* Effect.forkChild(provider, { startImmediately: true })
          assert.isUndefined(first.pollUnsafe())
          yield* Fiber.interrupt(first)
          return (yield* provider).issuer
        })
      )
      assert.strictEqual(issuer, urls.mcpUrl)
    })
  )

  it.effect("clients are stored for 180 days after their last use, and for one day if never used", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const { client_id: unused } = yield* Calls.registered()
      const { clientId: used } = yield* Calls.signedIn(key)
      const sql = yield* OAuthDatabase
      const { find } = yield* Records
      const isKnown = (id: string) => Effect.map(find({ model: "Client", id }), (found) => found !== null)
      const now = yield* Clock.currentTimeMillis
      const later = (ms: number) =>
        sql`UPDATE oauth_records SET expires_at = expires_at - ${ms} WHERE model = 'Client'`
      yield* later(day - 60_000)
      yield* collect
      assert.deepStrictEqual([yield* isKnown(unused), yield* isKnown(used)], [true, true])
      yield* later(60_000 + ((yield* Clock.currentTimeMillis) - now))
      yield* collect
      assert.deepStrictEqual([yield* isKnown(unused), yield* isKnown(used)], [false, true])
      assert.strictEqual((yield* Calls.authorize(unused)).status, 400)
      yield* later(178 * day)
      assert.isTrue(yield* isKnown(used))
      yield* later(day)
      assert.isFalse(yield* isKnown(used))
    })
  )
})
