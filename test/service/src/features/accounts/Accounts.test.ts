import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { AccountId, KeyId } from "#domain/Ids.ts"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { Authentication } from "#src/features/accounts/Authentication.ts"
import * as Callers from "#test/support/Callers.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { key, logText, open } from "#test/support/src/features/accounts/AccountFacts.ts"

const layer = TestNode.layer({ dispatches: false })

const linesOf = (text: string, type: string) => text.split("\n").filter((line) => line.includes(` ${type} `))

describe("Accounts", () => {
  it.effect("opens an account once, however often the call is repeated", () =>
    Effect.gen(function* () {
      const first = key("operator", "s3cret")
      const [one, two] = yield* Effect.all([open(first), open(first)], { concurrency: 2 })
      const three = yield* open(key("operator", "another secret"), "another name")
      assert.deepStrictEqual([one.opened, two.opened, three.opened], [true, false, false])
      assert.strictEqual(new Set([one.accountId, two.accountId, three.accountId]).size, 1)
      const text = yield* logText
      assert.lengthOf(linesOf(text, "AccountOpened"), 1)
      assert.lengthOf(linesOf(text, "BalanceToppedUp"), 1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("opens one account when two nodes start at once", () =>
    Effect.gen(function* () {
      const one = yield* TestNode.start({ name: "one", dispatches: false })
      const two = yield* TestNode.start({ name: "two", dispatches: false })
      const first = key("operator", "s3cret")
      const both = yield* Effect.all([one.on(open(first)), two.on(open(first))], { concurrency: 2 })
      assert.deepStrictEqual(both.map(({ opened }) => opened).sort(), [false, true])
      assert.lengthOf(linesOf(yield* logText, "AccountOpened"), 1)
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("writes no secret to the log, neither a chosen nor a generated one", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const chosen = key("operator", "a secret that the operator chose".replaceAll(" ", "-"))
      const { accountId } = yield* open(chosen)
      const issued = yield* accounts.issueKey({ accountId, name: "second" })
      yield* accounts.revokeKey(issued.keyId)
      const text = yield* logText
      assert.lengthOf(linesOf(text, "KeyIssued"), 2)
      for (const { secret } of [chosen, issued]) {
        assert.notInclude(text, Redacted.value(secret))
        assert.include(text, ApiKey.hashSecret(secret))
      }
    }).pipe(Effect.provide(layer))
  )

  it.effect("issues distinct keys that open their account", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const { authenticate } = yield* Authentication
      const { accountId } = yield* open(key("operator", "s3cret"))
      const keys = yield* Effect.replicateEffect(accounts.issueKey({ accountId, name: "more" }), 20)
      for (const issued of keys) {
        const caller = yield* authenticate(`Key ${ApiKey.format(issued)}`)
        assert.deepStrictEqual(caller, Callers.of(accountId, issued.keyId))
      }
      assert.strictEqual(new Set(keys.map(({ keyId }) => keyId)).size, 20)
      assert.strictEqual(new Set(keys.map(({ secret }) => Redacted.value(secret))).size, 20)
    }).pipe(Effect.provide(layer))
  )

  it.effect("rejects accounts and keys that do not exist", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const { accountId } = yield* open(key("operator", "s3cret"))
      const nobody = AccountId.make("acc_0000000000000000")
      const failed = yield* Effect.flip(accounts.issueKey({ accountId: nobody, name: "x" }))
      assert.strictEqual(failed._tag, "AccountNotFound")
      const before = yield* logText
      const others = ["", "nobody", "__proto__", `key_${accountId.slice(4)}_AAAAAAAA`]
      for (const keyId of others) {
        assert.strictEqual((yield* Effect.flip(accounts.revokeKey(keyId)))._tag, "KeyNotFound")
      }
      assert.strictEqual(yield* logText, before)
    }).pipe(Effect.provide(layer))
  )

  it.effect("revokes only the given key, once", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const { authenticate } = yield* Authentication
      const first = key("operator", "s3cret")
      const { accountId } = yield* open(first)
      const second = yield* accounts.issueKey({ accountId, name: "second" })
      yield* accounts.revokeKey(second.keyId)
      yield* accounts.revokeKey(second.keyId)
      assert.lengthOf(linesOf(yield* logText, "KeyRevoked"), 1)
      yield* authenticate(`Key ${ApiKey.format(first)}`)
    }).pipe(Effect.provide(layer))
  )
})

describe("ApiKey", () => {
  it("parses what it formats", () => {
    const made = ApiKey.makeForNewAccount()
    const read = ApiKey.parse(ApiKey.format(made))
    if (read._tag === "None") return assert.fail("the key is not readable")
    assert.strictEqual(read.value.keyId, made.keyId)
    assert.strictEqual(Redacted.value(read.value.secret), Redacted.value(made.secret))
  })

  it("treats everything after the first colon as the secret", () => {
    const read = ApiKey.parse("id:a:b")
    assert.deepStrictEqual(
      read._tag === "Some" ? [read.value.keyId, Redacted.value(read.value.secret)] : [],
      [KeyId.make("id"), "a:b"]
    )
  })

  it.each([
    "",
    ":",
    "id",
    "id:",
    ":secret",
    "i d:secret",
    "id:sec ret",
    "id:sécret",
    "id:secret\n",
    `${"i".repeat(65)}:s`,
    `id:${"s".repeat(257)}`
  ])("rejects %j", (text) => {
    assert.strictEqual(ApiKey.parse(text)._tag, "None")
  })

  it("does not show a secret when a key is printed", () => {
    const made = ApiKey.makeForNewAccount()
    const secret = Redacted.value(made.secret)
    assert.notInclude(JSON.stringify(made), secret)
    assert.notInclude(String(made.secret), secret)
  })
})
