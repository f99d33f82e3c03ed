import { DatabaseSync } from "node:sqlite"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { KeyId } from "#domain/Ids.ts"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import { ScryptCost } from "#src/features/accounts/PasswordHash.ts"
import * as Collection from "#src/edges/oauth/Collection.ts"
import { Interactions } from "#src/edges/oauth/Interactions.ts"
import { OAuthDatabase } from "#src/edges/oauth/OAuthDatabase.ts"
import { EventStoreError } from "#streams/EventReader.ts"
import { type EventStore, withAppend } from "#streams/EventStore.ts"
import type { Reply } from "#test/support/HttpProbe.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as PasswordNode from "#test/support/src/features/accounts/PasswordNode.ts"
import * as OAuth from "#test/support/src/edges/oauth/OAuthCalls.ts"
import * as Until from "#test/support/Until.ts"

/** The fate of appends unless it is `stored`. */
let fate: "stored" | "refused" | "stored unheard" = "stored"
let appended = 0

const log = (store: EventStore["Service"]): EventStore["Service"] =>
  withAppend(store, (append) => {
    const failure = new EventStoreError({ reason: "The log of the test is away" })
    appended++
    if (fate === "stored") return store.append(append)
    return fate === "refused" ? Effect.fail(failure) : Effect.andThen(store.append(append), failure)
  })

const withFate = <A, E, R>(wanted: typeof fate, use: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => void (fate = wanted)),
    () => use,
    () => Effect.sync(() => void (fate = "stored"))
  )

const assertUnavailable = (reply: Reply) => {
  assert.deepStrictEqual([reply.status, OAuth.errorOf(reply)], [503, "temporarily_unavailable"])
  assert.strictEqual(reply.headers["retry-after"], "5")
  assert.strictEqual(reply.headers["access-control-allow-origin"], "*")
  assert.notInclude(reply.text, "oauth_records")
}

/** A user at the form, with an account that has a password. */
const arrived = Effect.gen(function* () {
  const { otherKey } = yield* TestServer.TestServer
  const { caller } = yield* OAuth.byKey(otherKey)
  const { client_id: clientId } = yield* OAuth.registered()
  const signedIn = yield* OAuth.byPassword(caller.accountId)
  return { clientId, signedIn, visit: yield* OAuth.begun(clientId) }
})

const allow = Effect.fnUntraced(function* ({ signedIn, visit }: Effect.Success<typeof arrived>) {
  const { allow } = yield* Interactions
  return yield* allow(OAuth.browser(visit.cookies), yield* OAuth.pendingOf(visit), signedIn)
})

const logins = Effect.gen(function* () {
  const sql = yield* OAuthDatabase
  return yield* sql<{ readonly id: string; readonly keyId: string }>`
    SELECT id, key_id AS "keyId" FROM logins WHERE owns_key = 1`
})

/** Runs while no record of the kind can be stored. Returns the keys of the logins that were begun meanwhile. */
const allowKeepingNo = Effect.fnUntraced(function* (
  model: "Grant" | "Interaction",
  somebody: Effect.Success<typeof arrived>
) {
  const sql = yield* OAuthDatabase
  yield* sql`CREATE TABLE made (key_id TEXT)`
  yield* sql`CREATE TRIGGER noted AFTER INSERT ON logins BEGIN INSERT INTO made VALUES (new.key_id); END`
  yield* sql`
    CREATE TRIGGER none_kept BEFORE INSERT ON oauth_records WHEN new.model = ${sql.literal(`'${model}'`)}
    BEGIN SELECT raise(ABORT, 'full'); END`
  const failed = yield* Effect.flip(allow(somebody))
  assert.strictEqual(failed._tag, "SqlError")
  const made = yield* sql<{ readonly keyId: string }>`SELECT key_id AS "keyId" FROM made`
  for (const trigger of ["none_kept", "noted"]) yield* sql`DROP TRIGGER ${sql(trigger)}`
  yield* sql`DROP TABLE made`
  return made.map(({ keyId }) => keyId)
})

/** `KeyNotFound`: it was never issued. */
const endOf = (keyId: string) =>
  Effect.flatMap(Accounts, ({ rotateKey }) =>
    Effect.map(Effect.flip(rotateKey({ keyId: KeyId.make(keyId), graceMs: 0 })), ({ _tag }) => _tag)
  )

const services = TestServer.layer({ log }).pipe(Layer.provide(Layer.succeed(ScryptCost, PasswordNode.cheap)))

layer(services, { excludeTestServices: true })("storage of sign-ins that fails", (it) => {
  it.effect("is reported as the protocol requires, without details, and ends no sign-in", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const sql = yield* OAuthDatabase
      const { access, clientId, refresh } = yield* OAuth.signedIn(key)
      const visit = yield* OAuth.begun(clientId)
      yield* sql`ALTER TABLE oauth_records RENAME TO mislaid`
      assertUnavailable(yield* OAuth.refresh(clientId, refresh))
      assertUnavailable(yield* OAuth.revoke(clientId, refresh))
      assertUnavailable(yield* OAuth.register())
      const page = yield* OAuth.authorize(clientId)
      assert.deepStrictEqual([page.status, page.headers["retry-after"]], [503, "5"])
      assert.match(page.headers["content-type"] ?? "", /^text\/html/)
      assert.notInclude(page.text, "oauth_records")
      const { pending } = yield* Interactions
      const failed = yield* Effect.flip(pending(OAuth.browser(visit.cookies), visit.uid))
      assert.strictEqual(failed._tag, "SqlError")
      assert.strictEqual((yield* Effect.flip(OAuth.bearerOf(access)))._tag, "SqlError")
      yield* sql`ALTER TABLE mislaid RENAME TO oauth_records`
      yield* OAuth.bearerOf(access)
      OAuth.tokensOf(yield* OAuth.refresh(clientId, refresh))
      yield* OAuth.allowed(visit, yield* OAuth.byKey(key))
    })
  )

  it.effect("because of another writer fails without delay", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const sql = yield* OAuthDatabase
      const { clientId, refresh } = yield* OAuth.signedIn(key)
      const [main] = yield* sql`PRAGMA database_list`
      using other = new DatabaseSync(String(main?.["file"]))
      other.exec("BEGIN IMMEDIATE")
      const began = performance.now()
      assertUnavailable(yield* OAuth.refresh(clientId, refresh))
      assertUnavailable(yield* OAuth.register())
      assert.isBelow(performance.now() - began, 2_000)
      other.exec("ROLLBACK")
      OAuth.tokensOf(yield* OAuth.refresh(clientId, refresh))
    })
  )

  it.effect("fails before a key is issued when a login cannot be stored", () =>
    Effect.gen(function* () {
      const sql = yield* OAuthDatabase
      const somebody = yield* arrived
      yield* sql`CREATE TRIGGER no_logins BEFORE INSERT ON logins BEGIN SELECT raise(ABORT, 'full'); END`
      const kept = (yield* logins).length
      const before = appended
      const failed = yield* Effect.flip(allow(somebody))
      assert.strictEqual(failed._tag, "SqlError")
      yield* sql`DROP TRIGGER no_logins`
      assert.strictEqual(appended, before)
      assert.lengthOf(yield* logins, kept)
    })
  )

  it.effect("revokes the key at once when it fails after the key was issued", () =>
    Effect.gen(function* () {
      const before = (yield* logins).length
      const somebody = yield* arrived
      const made = yield* allowKeepingNo("Grant", somebody)
      assert.deepStrictEqual(yield* Effect.forEach(made, endOf), ["KeyRevoked"])
      assert.lengthOf(yield* logins, before)
      // The form still exists and is submitted again.
      yield* allow(somebody)
      assert.lengthOf(yield* logins, before + 1)
    })
  )

  it.effect("revokes the key at once when a decision cannot be stored", () =>
    Effect.gen(function* () {
      const before = (yield* logins).length
      const made = yield* allowKeepingNo("Interaction", yield* arrived)
      assert.deepStrictEqual(yield* Effect.forEach(made, endOf), ["KeyRevoked"])
      assert.lengthOf(yield* logins, before)
    })
  )

  it.effect("does not occur when the browser disconnects: the decision stays", () =>
    Effect.gen(function* () {
      const before = (yield* logins).length
      const somebody = yield* arrived
      const { allow } = yield* Interactions
      const pending = yield* OAuth.pendingOf(somebody.visit)
      const request = OAuth.browser(somebody.visit.cookies)
      const beforehand = appended
      const fiber = yield* Effect.forkChild(allow(request, pending, somebody.signedIn), {
        startImmediately: true
      })
      // Its key is on its way.
      yield* Until.holds(
        "an append",
        () => appended > beforehand,
        () => appended
      )
      yield* Fiber.interrupt(fiber)
      yield* allow(request, pending, somebody.signedIn)
      assert.lengthOf(yield* logins, before + 1)
    })
  )

  it.effect("keeps the login for collection when the log may have stored the key", () =>
    Effect.gen(function* () {
      const before = new Set((yield* logins).map(({ id }) => id))
      const somebody = yield* arrived
      const failed = yield* Effect.flip(withFate("stored unheard", allow(somebody)))
      assert.strictEqual(failed._tag, "EventStoreError")
      const left = (yield* logins).filter(({ id }) => !before.has(id))
      assert.lengthOf(left, 1)
      const sql = yield* OAuthDatabase
      yield* sql`UPDATE logins SET created_at = 0 WHERE id = ${left[0]?.id ?? ""}`
      yield* Effect.flatten(Collection.make)
      assert.strictEqual(yield* endOf(left[0]?.keyId ?? ""), "KeyRevoked")
      assert.lengthOf(yield* logins, before.size)
    })
  )

  it.effect("keeps a returned sign-in unchanged while the log is unavailable, until it can be ended", () =>
    Effect.gen(function* () {
      const somebody = yield* arrived
      const code = OAuth.codeOf(yield* OAuth.allowed(somebody.visit, somebody.signedIn))
      const { clientId } = somebody
      const { access, refresh } = OAuth.tokensOf(yield* OAuth.exchange(clientId, code))
      const { caller } = yield* OAuth.bearerOf(access)
      assertUnavailable(yield* withFate("refused", OAuth.revoke(clientId, refresh)))
      yield* OAuth.bearerOf(access)
      assert.strictEqual((yield* OAuth.revoke(clientId, refresh)).status, 200)
      assert.strictEqual(yield* endOf(caller.keyId), "KeyRevoked")
      assert.strictEqual((yield* Effect.flip(OAuth.bearerOf(access)))._tag, "BearerRefused")
    })
  )
})
