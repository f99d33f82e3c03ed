import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { AccountId } from "#domain/Ids.ts"
import { defaultGraceMs } from "#domain/account/SigningSecret.ts"
import { AccountActors } from "#src/features/accounts/AccountActors.ts"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import { SigningSecrets } from "#src/features/webhooks/SigningSecrets.ts"
import { key, logText, open } from "#test/support/src/features/accounts/AccountFacts.ts"
import * as SigningNode from "#test/support/src/features/webhooks/SigningNode.ts"
import { message, signedWith } from "#test/support/src/features/webhooks/SigningNode.ts"

const rotations = Effect.map(
  logText,
  (text) => text.split("\n").filter((line) => line.includes(" SigningSecretRotated ")).length
)

const close = Effect.fnUntraced(function* (accountId: AccountId) {
  const at = yield* Clock.currentTimeMillis
  yield* (yield* AccountActors).execute(accountId, { _tag: "Erase", at }).pipe(Effect.orDie)
})

describe("The signing secret of an account", () => {
  it.effect("is created at first use, has 32 random bytes, and stays", () =>
    Effect.gen(function* () {
      const secrets = yield* SigningSecrets
      const accountId = yield* SigningNode.account
      assert.strictEqual(yield* rotations, 0)
      const secret = yield* secrets.current(accountId)
      assert.match(Redacted.value(secret), /^whsec_[A-Za-z0-9+/]{43}=$/)
      assert.strictEqual(yield* rotations, 1)
      assert.strictEqual(Redacted.value(yield* secrets.current(accountId)), Redacted.value(secret))
      assert.strictEqual(yield* secrets.sign(accountId, message), signedWith(secret))
      assert.strictEqual(yield* rotations, 1)
    }).pipe(Effect.provide(SigningNode.layer))
  )

  it.effect("is created once under concurrent calls, on one node and on two", () =>
    Effect.gen(function* () {
      const one = yield* SigningNode.start()
      const two = yield* SigningNode.start()
      const accountId = yield* one.on(SigningNode.account)
      // The other node knows the account's previous state.
      yield* two.on(Effect.flatMap(AccountActors, (actors) => actors.current(accountId)))
      const asked = [one, two].flatMap(({ secrets }) => [
        secrets.sign(accountId, message),
        Effect.map(secrets.current(accountId), signedWith),
        secrets.sign(accountId, message)
      ])
      const answers = yield* Effect.all(asked, { concurrency: "unbounded" })
      assert.strictEqual(new Set(answers).size, 1)
      assert.strictEqual(yield* rotations, 1)
    }).pipe(Effect.provide(SigningNode.storeLayer))
  )

  it.effect("differs between accounts", () =>
    Effect.gen(function* () {
      const secrets = yield* SigningSecrets
      const one = yield* SigningNode.account
      const { accountId: other } = yield* open(key("another operator", "s3cret"))
      assert.notStrictEqual(
        Redacted.value(yield* secrets.current(one)),
        Redacted.value(yield* secrets.current(other))
      )
    }).pipe(Effect.provide(SigningNode.layer))
  )

  it.effect("is the same after a restart, and after a rotation on another node", () =>
    Effect.gen(function* () {
      const one = yield* SigningNode.start()
      const two = yield* SigningNode.start()
      const accountId = yield* one.on(SigningNode.account)
      const before = yield* one.secrets.current(accountId)
      assert.strictEqual(yield* two.secrets.sign(accountId, message), signedWith(before))
      const { key } = yield* one.secrets.rotate(accountId, defaultGraceMs)
      assert.strictEqual(Redacted.value(yield* two.secrets.current(accountId)), Redacted.value(key))
      const both = `${signedWith(key)} ${signedWith(before)}`
      assert.strictEqual(yield* two.secrets.sign(accountId, message), both)
      const restarted = yield* SigningNode.start()
      assert.strictEqual(yield* restarted.secrets.sign(accountId, message), both)
    }).pipe(Effect.provide(SigningNode.storeLayer))
  )

  it.effect("of a closed account keeps signing; one without a secret gets one for its last webhooks", () =>
    Effect.gen(function* () {
      const secrets = yield* SigningSecrets
      const accountId = yield* SigningNode.account
      const secret = yield* secrets.current(accountId)
      yield* close(accountId)
      assert.strictEqual(yield* secrets.sign(accountId, message), signedWith(secret))
      assert.strictEqual(
        (yield* Effect.flip(secrets.rotate(accountId, defaultGraceMs)))._tag,
        "AccountClosed"
      )

      const { accountId: other } = yield* open(key("another operator", "s3cret"))
      yield* close(other)
      const signatures = yield* secrets.sign(other, message)
      assert.strictEqual(signatures, signedWith(yield* secrets.current(other)))
    }).pipe(Effect.provide(SigningNode.layer))
  )
})

describe("A rotation", () => {
  const hours = (count: number) => count * 60 * 60 * 1_000

  it.effect("makes both secrets sign at once, for 24 h to the millisecond", () =>
    Effect.gen(function* () {
      const secrets = yield* SigningSecrets
      const accountId = yield* SigningNode.account
      const before = yield* secrets.current(accountId)
      const at = yield* Clock.currentTimeMillis
      const { key, previousKeyExpiresAt } = yield* secrets.rotate(accountId, defaultGraceMs)
      assert.strictEqual(previousKeyExpiresAt, at + hours(24))
      assert.strictEqual(Redacted.value(yield* secrets.current(accountId)), Redacted.value(key))

      const signsAt = Effect.fnUntraced(function* (millis: number) {
        yield* TestClock.setTime(at + millis)
        return yield* secrets.sign(accountId, message)
      })
      const both = `${signedWith(key)} ${signedWith(before)}`
      assert.strictEqual(yield* signsAt(0), both)
      assert.strictEqual(yield* signsAt(hours(24) - 1_000), both)
      assert.strictEqual(yield* signsAt(hours(24) - 1), both)
      assert.strictEqual(yield* signsAt(hours(24)), signedWith(key))
      assert.strictEqual(yield* signsAt(hours(24) + 1_000), signedWith(key))
    }).pipe(Effect.provide(SigningNode.layer))
  )

  it.effect("after others lets each secret sign to its own end, newest first", () =>
    Effect.gen(function* () {
      const secrets = yield* SigningSecrets
      const accountId = yield* SigningNode.account
      const first = yield* secrets.current(accountId)
      const second = (yield* secrets.rotate(accountId, defaultGraceMs)).key
      yield* TestClock.adjust(hours(10))
      const third = (yield* secrets.rotate(accountId, defaultGraceMs)).key
      const signed = (valid: ReadonlyArray<Redacted.Redacted>) => valid.map(signedWith).join(" ")
      assert.strictEqual(yield* secrets.sign(accountId, message), signed([third, second, first]))
      yield* TestClock.adjust(hours(14))
      assert.strictEqual(yield* secrets.sign(accountId, message), signed([third, second]))
      yield* TestClock.adjust(hours(10))
      assert.strictEqual(yield* secrets.sign(accountId, message), signed([third]))
    }).pipe(Effect.provide(SigningNode.layer))
  )

  it.effect("leaves ten valid secrets, and two at once count as two", () =>
    Effect.gen(function* () {
      const secrets = yield* SigningSecrets
      const accountId = yield* SigningNode.account
      const rotated = yield* Effect.all(
        Array.from({ length: 12 }, () => secrets.rotate(accountId, defaultGraceMs)),
        { concurrency: "unbounded" }
      )
      const signatures = (yield* secrets.sign(accountId, message)).split(" ")
      assert.lengthOf(signatures, 10)
      assert.includeMembers(
        rotated.map(({ key }) => signedWith(key)),
        signatures
      )
      const { key, previousKeyExpiresAt } = yield* secrets.rotate(accountId, 0)
      assert.isNull(previousKeyExpiresAt)
      assert.strictEqual(yield* secrets.sign(accountId, message), signedWith(key))
    }).pipe(Effect.provide(SigningNode.layer))
  )

  it.effect("of an account without a secret has no previous secret", () =>
    Effect.gen(function* () {
      const secrets = yield* SigningSecrets
      const accountId = yield* SigningNode.account
      const { key, previousKeyExpiresAt } = yield* secrets.rotate(accountId, defaultGraceMs)
      assert.isNull(previousKeyExpiresAt)
      assert.strictEqual(yield* secrets.sign(accountId, message), signedWith(key))
    }).pipe(Effect.provide(SigningNode.layer))
  )
})

describe("Signing secrets in clear", () => {
  it.effect("are neither in the log, nor in log lines, nor in errors", () => {
    const lines: Array<string> = []
    return Effect.gen(function* () {
      const one = yield* SigningNode.start()
      const accountId = yield* one.on(SigningNode.account)
      const made = [
        yield* one.secrets.current(accountId),
        (yield* one.secrets.rotate(accountId, defaultGraceMs)).key
      ]
      yield* one.secrets.sign(accountId, message)
      const other = yield* SigningNode.start({ masterKey: Buffer.alloc(32, 2) })
      const error = yield* Effect.flip(other.secrets.sign(accountId, message))
      yield* Effect.logInfo("secrets", made)
      assert.lengthOf(lines, 2)
      const told = [
        yield* logText,
        ...lines,
        JSON.stringify(error),
        String(error.stack),
        JSON.stringify(made)
      ]
      for (const secret of made) {
        const text = Redacted.value(secret)
        const bytes = Buffer.from(text.slice("whsec_".length), "base64")
        for (const form of [
          text.slice("whsec_".length),
          bytes.toString("base64url"),
          bytes.toString("hex")
        ]) {
          for (const where of told) assert.notInclude(where, form)
        }
      }
      assert.include(told[0], "SigningSecretRotated")
    }).pipe(Effect.provide([SigningNode.storeLayer, SigningNode.logging(lines)]))
  })

  it.effect("are not stored for unknown accounts", () =>
    Effect.gen(function* () {
      const secrets = yield* SigningSecrets
      const accounts = yield* Accounts
      const nobody = AccountId.make("acc_0000000000000000")
      assert.strictEqual((yield* Effect.exit(secrets.current(nobody)))._tag, "Failure")
      assert.strictEqual((yield* Effect.flip(accounts.limits(nobody)))._tag, "AccountNotFound")
      assert.strictEqual(yield* rotations, 0)
    }).pipe(Effect.provide(SigningNode.layer))
  )
})
