/** Secrets that were sealed under another MASTER_KEY. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { defaultGraceMs } from "#domain/account/SigningSecret.ts"
import { AccountActors } from "#src/features/accounts/AccountActors.ts"
import { SigningSecrets } from "#src/features/webhooks/SigningSecrets.ts"
import { key, open } from "#test/support/src/features/accounts/AccountFacts.ts"
import * as SigningNode from "#test/support/src/features/webhooks/SigningNode.ts"
import { message, signedWith } from "#test/support/src/features/webhooks/SigningNode.ts"

describe("Under another MASTER_KEY", () => {
  it.effect("secrets are unreadable, which is logged once, until a rotation", () => {
    const lines: Array<string> = []
    return Effect.gen(function* () {
      const one = yield* SigningNode.start()
      const accountId = yield* one.on(SigningNode.account)
      yield* one.secrets.current(accountId)
      for (let count = 2; count <= 10; count++) yield* one.secrets.rotate(accountId, defaultGraceMs)

      const other = yield* SigningNode.start({ masterKey: Buffer.alloc(32, 2) })
      const asked: ReadonlyArray<Effect.Effect<unknown, { readonly _tag: string }>> = [
        other.secrets.current(accountId),
        other.secrets.sign(accountId, message),
        other.secrets.sign(accountId, message)
      ]
      for (const effect of asked) {
        assert.strictEqual((yield* Effect.flip(effect))._tag, "SecretsUnreadable")
      }
      assert.lengthOf(lines, 1)
      assert.match(lines[0] ?? "", /MASTER_KEY.*"level":"WARN".*"account_id":"acc_[0-9a-f]{16}"/)

      const { key, previousKeyExpiresAt } = yield* other.secrets.rotate(accountId, defaultGraceMs)
      assert.isNull(previousKeyExpiresAt)
      assert.strictEqual(Redacted.value(yield* other.secrets.current(accountId)), Redacted.value(key))
      assert.strictEqual(yield* other.secrets.sign(accountId, message), signedWith(key))
      assert.lengthOf(lines, 1)

      // With the first key again: the unreadable secrets are gone permanently.
      const back = yield* SigningNode.start()
      assert.strictEqual(
        (yield* Effect.flip(back.secrets.sign(accountId, message)))._tag,
        "SecretsUnreadable"
      )
      assert.strictEqual((yield* Effect.flip(back.secrets.current(accountId)))._tag, "SecretsUnreadable")
      assert.lengthOf(lines, 2)
    }).pipe(Effect.provide([SigningNode.storeLayer, SigningNode.logging(lines)]))
  })

  it.effect("ten unreadable secrets leave room for ten new ones, even when rotated at once", () =>
    Effect.gen(function* () {
      const one = yield* SigningNode.start()
      const accountId = yield* one.on(SigningNode.account)
      const nodes = yield* Effect.all([
        SigningNode.start({ masterKey: Buffer.alloc(32, 2) }),
        SigningNode.start({ masterKey: Buffer.alloc(32, 2) })
      ])
      // They know the account's previous state.
      for (const { on } of nodes)
        yield* on(Effect.flatMap(AccountActors, ({ current }) => current(accountId)))
      for (let count = 1; count <= 10; count++) yield* one.secrets.rotate(accountId, defaultGraceMs)

      const rotated = yield* Effect.forEach(
        Array.from({ length: 6 }, () => nodes).flat(),
        ({ secrets }) => secrets.rotate(accountId, defaultGraceMs),
        { concurrency: "unbounded" }
      )
      const signatures = (yield* nodes[0].secrets.sign(accountId, message)).split(" ")
      assert.lengthOf(signatures, 10)
      assert.includeMembers(
        rotated.map(({ key }) => signedWith(key)),
        signatures
      )
    }).pipe(Effect.provide(SigningNode.storeLayer))
  )

  it.effect("a rotation keeps the current secret, and a readable one keeps signing", () =>
    Effect.gen(function* () {
      const secrets = yield* SigningSecrets
      const actors = yield* AccountActors
      const accountId = yield* SigningNode.account
      const readable = yield* secrets.current(accountId)
      const at = yield* Clock.currentTimeMillis
      yield* actors.execute(accountId, {
        _tag: "RotateSigningSecret",
        at,
        sealed: "v1.x",
        useless: [],
        graceMs: defaultGraceMs
      })
      yield* TestClock.adjust("1 hour")
      const { key, previousKeyExpiresAt } = yield* secrets.rotate(accountId, defaultGraceMs)
      assert.strictEqual(previousKeyExpiresAt, at + 25 * 60 * 60 * 1_000)
      const { state } = yield* actors.current(accountId)
      assert.lengthOf(state._tag === "Account" ? state.signingSecrets : [], 3)
      assert.strictEqual(
        yield* secrets.sign(accountId, message),
        `${signedWith(key)} ${signedWith(readable)}`
      )
    }).pipe(Effect.provide(SigningNode.layer))
  )

  it.effect("a secret sealed for one account cannot be used for another", () =>
    Effect.gen(function* () {
      const secrets = yield* SigningSecrets
      const actors = yield* AccountActors
      const one = yield* SigningNode.account
      yield* secrets.current(one)
      const { state } = yield* actors.current(one)
      const sealed = state._tag === "Account" ? (state.signingSecrets[0]?.sealed ?? "") : ""
      const { accountId: other } = yield* open(key("another operator", "s3cret"))
      yield* actors
        .execute(other, { _tag: "EnsureSigningSecret", at: 0, sealed })
        .pipe(Effect.catchTag("AccountNotFound", Effect.die))
      assert.strictEqual((yield* Effect.flip(secrets.current(other)))._tag, "SecretsUnreadable")
    }).pipe(Effect.provide(SigningNode.layer), Effect.orDie)
  )
})
