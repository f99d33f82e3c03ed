import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { Passwords } from "#src/features/accounts/Passwords.ts"
import * as Collection from "#src/edges/oauth/Collection.ts"
import { Logins } from "#src/edges/oauth/Logins.ts"
import { OAuthDatabase } from "#src/edges/oauth/OAuthDatabase.ts"
import { EventStoreError } from "#streams/EventReader.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as OAuth from "#test/support/src/edges/oauth/OAuthCalls.ts"
import * as Until from "#test/support/Until.ts"

const hour = 3_600_000

/** Old logins without a key of their own and without a token. */
const insertOver = Effect.fnUntraced(function* (count: number) {
  const sql = yield* OAuthDatabase
  const createdAt = (yield* Clock.currentTimeMillis) - hour
  yield* sql`
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
    INSERT INTO logins (id, account_id, key_id, secret_hash, owns_key, client_id, created_at)
    SELECT printf('over-%04d', n), 'acc_none', 'none', 'hash', 0, 'client', ${createdAt} FROM numbers`
})

const left = Effect.gen(function* () {
  const sql = yield* OAuthDatabase
  return (yield* sql`SELECT id FROM logins WHERE id LIKE 'over-%'`).length
})

const signedIn = Effect.gen(function* () {
  const { key } = yield* TestServer.TestServer
  const tokens = yield* OAuth.signedIn(key)
  const { loginId } = yield* OAuth.bearerOf(tokens.access)
  return { ...tokens, loginId }
})

/** The state after a crash between the use of a refresh token and its replacement. */
const cutShort = Effect.fnUntraced(function* (loginId: string) {
  const sql = yield* OAuthDatabase
  const now = yield* Clock.currentTimeMillis
  yield* sql`UPDATE logins SET created_at = created_at - ${hour} WHERE id = ${loginId}`
  yield* sql`DELETE FROM oauth_records WHERE login_id = ${loginId} AND model IN ('AccessToken', 'AuthorizationCode')`
  yield* sql`
    UPDATE oauth_records SET consumed_at = ${now} WHERE login_id = ${loginId} AND model = 'RefreshToken'`
})

const told: Array<string> = []
const listening = Logger.layer([Logger.make(({ message }) => void told.push(String(message)))])

const bounds = Layer.succeed(Collection.CollectionBounds, { page: 2, ended: 3 })

layer(TestServer.layer())("rounds of collection", (it) => {
  it.effect("keep a sign-in whose refresh was interrupted by a crash, and its token is accepted again", () =>
    Effect.gen(function* () {
      const { clientId, loginId, refresh } = yield* signedIn
      yield* TestClock.adjust("1 minute")
      yield* cutShort(loginId)
      yield* Effect.flatten(Collection.make)
      yield* TestClock.adjust("5 minutes")
      yield* Effect.flatten(Collection.make)
      const next = OAuth.tokensOf(yield* OAuth.refresh(clientId, refresh))
      // It is replaced now, so another use of it does not come from the client that waited.
      const again = yield* OAuth.refresh(clientId, refresh)
      assert.strictEqual(OAuth.errorOf(again), "invalid_grant", again.text)
      assert.strictEqual((yield* Effect.flip(OAuth.bearerOf(next.access)))._tag, "BearerRefused")
    })
  )

  it.effect("end a limited number of sign-ins, log it, and continue at the same position", () =>
    Effect.gen(function* () {
      yield* insertOver(7)
      const collect = yield* Collection.make
      told.length = 0
      for (const expected of [4, 1, 0]) {
        yield* collect
        assert.strictEqual(yield* left, expected)
      }
      assert.lengthOf(
        told.filter((line) => line.startsWith("3 sign-ins were over")),
        2
      )
    }).pipe(Effect.provide([listening, bounds]))
  )

  it.effect("check all sign-ins, page after page, and then start again", () =>
    Effect.gen(function* () {
      const sql = yield* OAuthDatabase
      yield* insertOver(9)
      const now = yield* Clock.currentTimeMillis
      yield* sql`UPDATE logins SET created_at = ${now} WHERE id LIKE 'over-%' AND id < 'over-0008'`
      const collect = yield* Collection.make
      yield* collect
      assert.strictEqual(yield* left, 7)
      yield* sql`UPDATE logins SET created_at = ${now - hour} WHERE id = 'over-0001'`
      yield* collect
      assert.strictEqual(yield* left, 6)
      yield* sql`DELETE FROM logins WHERE id LIKE 'over-%'`
    }).pipe(Effect.provide(bounds))
  )

  it.effect("keep a sign-in that has received a token since its page was read", () =>
    Effect.gen(function* () {
      const sql = yield* OAuthDatabase
      yield* insertOver(2)
      yield* sql`
        CREATE TRIGGER revived AFTER DELETE ON logins WHEN old.id = 'over-0001' BEGIN
          INSERT INTO oauth_records (model, id, payload, login_id, expires_at)
          VALUES ('RefreshToken', 'revived', '{}', 'over-0002', 9000000000000);
        END`
      yield* Effect.flatten(Collection.make)
      assert.strictEqual(yield* left, 1)
      yield* sql`DROP TRIGGER revived`
      yield* sql`DELETE FROM logins WHERE id = 'over-0002'`
    })
  )

  it.effect(
    "remove expired records of an ended sign-in, and keep those of one that is still to be ended",
    () =>
      Effect.gen(function* () {
        const sql = yield* OAuthDatabase
        const { loginId } = yield* signedIn
        yield* sql`
        INSERT INTO oauth_records (model, id, payload, login_id, expires_at)
        VALUES ('RefreshToken', 'left', '{}', 'nobody', 0), ('RefreshToken', 'expired', '{}', ${loginId}, 0)`
        yield* Effect.flatten(Collection.make)
        const rows = yield* sql`SELECT id FROM oauth_records WHERE id IN ('left', 'expired')`
        assert.deepStrictEqual(rows, [{ id: "expired" }])
      })
  )

  it.effect("remove all expired records, however many", () =>
    Effect.gen(function* () {
      const sql = yield* OAuthDatabase
      yield* sql`
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1200)
        INSERT INTO oauth_records (model, id, payload, expires_at)
        SELECT 'Interaction', printf('expired-%04d', n), '{}', 0 FROM numbers`
      yield* Effect.flatten(Collection.make)
      assert.lengthOf(yield* sql`SELECT id FROM oauth_records WHERE id LIKE 'expired-%'`, 0)
    })
  )

  it.effect("end no sign-in by password while the current password cannot be read", () =>
    Effect.gen(function* () {
      const sql = yield* OAuthDatabase
      const passwords = yield* Passwords
      yield* insertOver(2)
      const now = yield* Clock.currentTimeMillis
      yield* sql`UPDATE logins SET created_at = ${now}, password_mark = 'other' WHERE id LIKE 'over-%'`
      const away = { ...passwords, mark: () => Effect.fail(new EventStoreError({ reason: "away" })) }
      yield* Effect.provideService(Effect.flatten(Collection.make), Passwords, away)
      assert.strictEqual(yield* left, 2)
      yield* Effect.flatten(Collection.make)
      assert.strictEqual(yield* left, 0)
    })
  )

  it.effect("grant a grace period after a start", () =>
    Effect.gen(function* () {
      yield* insertOver(1)
      yield* Effect.provide(
        Effect.gen(function* () {
          yield* TestClock.adjust("19 seconds")
          assert.strictEqual(yield* left, 1)
          yield* TestClock.adjust("1 second")
          yield* Until.until("no records", left, (count) => count === 0)
        }),
        Layer.fresh(Collection.layer)
      )
    })
  )

  it.effect("end a sign-in without any token", () =>
    Effect.gen(function* () {
      const { loginId } = yield* signedIn
      const sql = yield* OAuthDatabase
      yield* cutShort(loginId)
      yield* sql`DELETE FROM oauth_records WHERE login_id = ${loginId} AND model = 'RefreshToken'`
      yield* Effect.flatten(Collection.make)
      assert.isNull(yield* (yield* Logins).caller(loginId))
    })
  )
})
