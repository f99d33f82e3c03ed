/** Which secrets open a key at which time, and the rights of the caller. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Grant from "#domain/account/Grant.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { NanoUsd } from "#domain/Money.ts"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { Authentication } from "#src/features/accounts/Authentication.ts"
import { KeyUse } from "#src/features/accounts/KeyUse.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { key, open } from "#test/support/src/features/accounts/AccountFacts.ts"

const layer = Layer.merge(TestNode.layer({ dispatches: false }), KeyUse.layer)

const first = key("operator", "s3cret")

const headerOf = (key: ApiKey.ApiKey) => `Key ${ApiKey.format(key)}`

const authenticate = Effect.fnUntraced(function* (key: ApiKey.ApiKey) {
  const authentication = yield* Authentication
  return yield* authentication.authenticate(headerOf(key))
})

const isLetIn = (key: ApiKey.ApiKey) =>
  authenticate(key).pipe(
    Effect.as(true),
    Effect.catchTag("Unauthorized", () => Effect.succeed(false))
  )

const issue = Effect.fnUntraced(function* (grant: Partial<Grant.Grant> = {}) {
  const accounts = yield* Accounts
  const { accountId } = yield* open(first)
  return yield* accounts.issueKey({ accountId, name: "second", grant: { ...Grant.unlimited, ...grant } })
})

const rotate = Effect.fnUntraced(function* ({ keyId }: ApiKey.ApiKey, graceMs: number) {
  return yield* (yield* Accounts).rotateKey({ keyId, graceMs })
})

describe("A key that was rotated", () => {
  it.effect("accepts both secrets until the grace period ends, then the new one", () =>
    Effect.gen(function* () {
      const before = yield* issue()
      const { key: after, previousExpiresAt } = yield* rotate(before, 60_000)
      assert.strictEqual(previousExpiresAt, 60_000)
      assert.deepStrictEqual([yield* isLetIn(before), yield* isLetIn(after)], [true, true])
      yield* TestClock.adjust(59_999)
      assert.deepStrictEqual([yield* isLetIn(before), yield* isLetIn(after)], [true, true])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual([yield* isLetIn(before), yield* isLetIn(after)], [false, true])
    }).pipe(Effect.provide(layer))
  )

  it.effect("without a grace period accepts only the new secret, at once", () =>
    Effect.gen(function* () {
      const before = yield* issue()
      assert.isTrue(yield* isLetIn(before))
      const { key: after, previousExpiresAt } = yield* rotate(before, 0)
      assert.isNull(previousExpiresAt)
      assert.deepStrictEqual([yield* isLetIn(before), yield* isLetIn(after)], [false, true])
    }).pipe(Effect.provide(layer))
  )

  it.effect("twice accepts the newest two secrets", () =>
    Effect.gen(function* () {
      const one = yield* issue()
      const { key: two } = yield* rotate(one, 60_000)
      const { key: three } = yield* rotate(one, 60_000)
      assert.deepStrictEqual(
        [yield* isLetIn(one), yield* isLetIn(two), yield* isLetIn(three)],
        [false, true, true]
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("accepts no secret when it is revoked in the grace period", () =>
    Effect.gen(function* () {
      const before = yield* issue()
      const { key: after } = yield* rotate(before, 60_000)
      yield* (yield* Accounts).revokeKey(before.keyId)
      assert.deepStrictEqual([yield* isLetIn(before), yield* isLetIn(after)], [false, false])
    }).pipe(Effect.provide(layer))
  )

  it.effect("accepts the same secrets on another node", () =>
    Effect.gen(function* () {
      const one = yield* TestNode.start({ name: "one", dispatches: false })
      const two = yield* TestNode.start({ name: "two", dispatches: false })
      const before = yield* one.on(issue())
      const { key: after } = yield* one.on(rotate(before, 60_000))
      assert.deepStrictEqual([yield* two.on(isLetIn(before)), yield* two.on(isLetIn(after))], [true, true])
      yield* TestClock.adjust(60_000)
      assert.deepStrictEqual([yield* two.on(isLetIn(before)), yield* two.on(isLetIn(after))], [false, true])
    }).pipe(Effect.provide(TestNode.storeLayer))
  )
})

describe("A key that expires", () => {
  it.effect("is accepted until then, and with no secret afterwards", () =>
    Effect.gen(function* () {
      const before = yield* issue({ expiresAt: 60_000 })
      const { key: after, previousExpiresAt } = yield* rotate(before, 600_000)
      assert.strictEqual(previousExpiresAt, 60_000)
      yield* TestClock.adjust(59_999)
      assert.deepStrictEqual([yield* isLetIn(before), yield* isLetIn(after)], [true, true])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual([yield* isLetIn(before), yield* isLetIn(after)], [false, false])
      assert.isTrue(yield* isLetIn(first))
    }).pipe(Effect.provide(layer))
  )

  it.effect("cannot be rotated afterwards", () =>
    Effect.gen(function* () {
      const expiring = yield* issue({ expiresAt: 60_000 })
      yield* TestClock.adjust(60_000)
      assert.strictEqual((yield* Effect.flip(rotate(expiring, 0)))._tag, "KeyExpired")
    }).pipe(Effect.provide(layer))
  )
})

describe("The caller behind a key", () => {
  it.effect("has the rights of the key, under the limits of the account", () =>
    Effect.gen(function* () {
      const grant: Grant.Grant = {
        scopes: ["requests:read"],
        modelEndpoints: [ModelEndpoint.make("vision/ocr")],
        monthlyBudget: NanoUsd.make(5n),
        expiresAt: 60_000,
        origins: null
      }
      const issued = yield* issue(grant)
      const accounts = yield* Accounts
      const caller = yield* authenticate(issued)
      assert.deepStrictEqual(caller.grant, grant)
      assert.isNull(caller.limits.maxOpenRequests)
      yield* accounts.changeLimits({ accountId: caller.accountId, limits: { maxOpenRequests: 7 } })
      const later = yield* authenticate(issued)
      assert.deepStrictEqual(later, { ...caller, limits: { ...caller.limits, maxOpenRequests: 7 } })
    }).pipe(Effect.provide(layer))
  )

  it.effect("is the same object as long as key and limits are, and is found synchronously", () =>
    Effect.gen(function* () {
      const issued = yield* issue()
      const { authenticate } = yield* Authentication
      const caller = yield* authenticate(headerOf(issued))
      yield* TestClock.adjust(1)
      assert.strictEqual(Effect.runSync(authenticate(headerOf(issued))), caller)
      assert.strictEqual(Effect.runSync(authenticate(headerOf(issued))).grant, caller.grant)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is recorded as the last user of the key, to the minute; rejected callers are not", () =>
    Effect.gen(function* () {
      const issued = yield* issue()
      const { lastUsedAt } = yield* KeyUse
      assert.isNull(lastUsedAt(issued.keyId))
      assert.isFalse(yield* isLetIn({ ...issued, secret: first.secret }))
      assert.isNull(lastUsedAt(issued.keyId))
      yield* TestClock.adjust(119_999)
      assert.isTrue(yield* isLetIn(issued))
      assert.strictEqual(lastUsedAt(issued.keyId), 60_000)
      yield* TestClock.adjust(1)
      assert.isTrue(yield* isLetIn(issued))
      assert.strictEqual(lastUsedAt(issued.keyId), 120_000)
      assert.isNull(lastUsedAt(first.keyId))
    }).pipe(Effect.provide(layer))
  )
})
