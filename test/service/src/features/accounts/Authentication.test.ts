import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { Authentication } from "#src/features/accounts/Authentication.ts"
import * as Callers from "#test/support/Callers.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { key, open } from "#test/support/src/features/accounts/AccountFacts.ts"

const layer = TestNode.layer({ dispatches: false })

const first = key("operator", "s3cret")

/** The caller behind the header; `null` if there is none. */
const callerOf = Effect.fnUntraced(function* (header: string | undefined) {
  const { authenticate } = yield* Authentication
  return yield* Effect.catchTag(authenticate(header), "Unauthorized", () => Effect.succeed(null))
})

describe("Authentication", () => {
  it.effect.each([
    "Key operator:s3cret",
    "key operator:s3cret",
    "KEY operator:s3cret",
    "Key   operator:s3cret",
    "Bearer operator:s3cret",
    "bearer operator:s3cret"
  ])("accepts the header %j", (header) =>
    Effect.gen(function* () {
      const { accountId } = yield* open(first)
      assert.deepStrictEqual(yield* callerOf(header), Callers.of(accountId, first.keyId))
    }).pipe(Effect.provide(layer))
  )

  it.effect.each([
    undefined,
    "",
    "Key",
    "Key ",
    "operator:s3cret",
    "Bearer",
    "Bearer operator",
    "Bearer operator:S3cret",
    "Bearer Key operator:s3cret",
    "Basic b3BlcmF0b3I6czNjcmV0",
    "Keyoperator:s3cret",
    "Key\toperator:s3cret",
    " Key operator:s3cret",
    "Key operator:s3cret ",
    "Key operator: s3cret",
    "Key operator:s3cret, Key operator:s3cret",
    "Key operator",
    "Key operator:",
    "Key operator:S3cret",
    "Key operator:s3cre",
    "Key operator:s3cret1",
    "Key Operator:s3cret",
    "Key nobody:s3cret",
    "Key __proto__:s3cret",
    `Key operator:${ApiKey.sha256Hex("s3cret")}`,
    `Key ${"o".repeat(100_000)}:s3cret`
  ])("rejects the header %j", (header) =>
    Effect.gen(function* () {
      yield* open(first)
      assert.isNull(yield* callerOf(header))
    }).pipe(Effect.provide(layer))
  )

  it.effect("rejects a key as soon as it is revoked", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const { accountId } = yield* open(first)
      const issued = yield* accounts.issueKey({ accountId, name: "second" })
      const header = `Key ${ApiKey.format(issued)}`
      assert.isNotNull(yield* callerOf(header))
      yield* accounts.revokeKey(issued.keyId)
      assert.isNull(yield* callerOf(header))
      assert.isNotNull(yield* callerOf(`Key ${ApiKey.format(first)}`))
    }).pipe(Effect.provide(layer))
  )

  it.effect("marks the previous secret, and creates each caller once", () =>
    Effect.gen(function* () {
      const { accountId } = yield* open(first)
      const { key: after } = yield* (yield* Accounts).rotateKey({ keyId: first.keyId, graceMs: 60_000 })
      const expected = Callers.of(accountId, first.keyId)
      for (const [key, isSuperseded] of [
        [first, true],
        [after, false]
      ] as const) {
        const caller = yield* callerOf(`Key ${ApiKey.format(key)}`)
        assert.deepStrictEqual(caller, { ...expected, isSuperseded })
        assert.strictEqual(yield* callerOf(`Key ${ApiKey.format(key)}`), caller)
      }
    }).pipe(Effect.provide(layer))
  )

  it.effect("accepts a secret with its own key only, in the account and between accounts", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const other = key("other-operator", "0ther")
      const one = yield* open(first)
      const two = yield* open(other, "other")
      assert.notStrictEqual(one.accountId, two.accountId)
      const issued = yield* accounts.issueKey({ accountId: one.accountId, name: "second" })
      for (const [id, secret] of [
        [first, other],
        [other, first],
        [issued, first],
        [first, issued],
        [issued, other]
      ] as const) {
        assert.isNull(yield* callerOf(`Key ${ApiKey.format({ keyId: id.keyId, secret: secret.secret })}`))
      }
    }).pipe(Effect.provide(layer))
  )

  it.effect("accepts a key that another node has issued", () =>
    Effect.gen(function* () {
      const one = yield* TestNode.start({ name: "one", dispatches: false })
      const two = yield* TestNode.start({ name: "two", dispatches: false })
      yield* one.on(open(first))
      assert.isNotNull(yield* two.on(callerOf(`Key ${ApiKey.format(first)}`)))
    }).pipe(Effect.provide(TestNode.storeLayer))
  )
})
