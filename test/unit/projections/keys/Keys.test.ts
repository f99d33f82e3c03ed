import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Grant from "#domain/account/Grant.ts"
import { AccountId, KeyId } from "#domain/Ids.ts"
import { NanoUsd, zero } from "#domain/Money.ts"
import { Keys } from "#projections/keys/Keys.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import { alice, bob, carol, t0 } from "#test/support/projections/RequestLog.ts"
import { append, issued, opened, revoked } from "#test/support/projections/keys/KeyLog.ts"

const dora = AccountId.make("acc_dora")

describe("Keys", () => {
  it.live("lists the keys of one account or of all, including revoked ones", () =>
    Effect.gen(function* () {
      yield* append(alice, opened(alice, "Alice", t0), issued("k1", t0))
      yield* append(bob, opened(bob, "Bob", t0), issued("k2", t0 + 1))
      yield* append(alice, issued("k3", t0 + 2))
      yield* append(alice, revoked("k1", t0 + 3))
      yield* ReadSide.settle("keys")
      const keys = yield* Keys

      assert.deepStrictEqual(yield* keys.list({ accountId: alice, after: null, limit: 10 }), [
        {
          keyId: KeyId.make("k1"),
          accountId: alice,
          accountName: "Alice",
          name: "name of k1",
          ...Grant.unlimited,
          issuedAt: t0,
          rotatedAt: null,
          revokedAt: t0 + 3,
          lastUsedAt: null
        },
        {
          keyId: KeyId.make("k3"),
          accountId: alice,
          accountName: "Alice",
          name: "name of k3",
          ...Grant.unlimited,
          issuedAt: t0 + 2,
          rotatedAt: null,
          revokedAt: null,
          lastUsedAt: null
        }
      ])
      const first = yield* keys.list({ after: null, limit: 2 })
      const rest = yield* keys.list({ after: KeyId.make("k2"), limit: 2 })
      assert.deepStrictEqual(
        [...first, ...rest].map(({ keyId }) => keyId),
        ["k1", "k2", "k3"].map((id) => KeyId.make(id))
      )
    }).pipe(Effect.provide(ReadSide.layer))
  )

  it.live("lists accounts with their current limits, and erased ones with revoked keys", () =>
    Effect.gen(function* () {
      yield* append(alice, opened(alice, "Alice", t0), issued("k1", t0), issued("k2", t0))
      yield* append(bob, opened(bob, "Bob", t0 + 1))
      const creditLimit = NanoUsd.make(10n ** 18n)
      yield* append(bob, { _tag: "LimitsChanged", at: t0 + 2, creditLimit: zero, maxOpenRequests: 5 })
      yield* append(bob, { _tag: "LimitsChanged", at: t0 + 3, creditLimit, maxOpenRequests: null })
      const limits = { creditLimit, maxOpenRequests: 7 }
      yield* append(bob, { _tag: "LimitsChanged", at: t0 + 4, ...limits, maxStoredBytes: 2 ** 52 })
      yield* append(carol, opened(carol, "Carol", t0 + 1))
      yield* append(carol, { _tag: "LimitsChanged", at: t0 + 2, ...limits, maxStoredBytes: 1 })
      yield* append(carol, { _tag: "LimitsChanged", at: t0 + 3, ...limits, maxStoredBytes: null })
      yield* append(dora, opened(dora, "Dora", t0 + 1))
      yield* append(dora, { _tag: "LimitsChanged", at: t0 + 2, ...limits, maxStoredBytes: 1 })
      // An event from before quotas existed.
      yield* append(dora, { _tag: "LimitsChanged", at: t0 + 3, ...limits })
      yield* append(alice, revoked("k1", t0 + 2))
      yield* append(alice, { _tag: "AccountErased", at: t0 + 5 })
      yield* ReadSide.settle("keys")
      const keys = yield* Keys

      const entry = { openedAt: t0 + 1, erasedAt: null, ...limits, maxStoredBytes: null }
      const expected = [
        {
          ...entry,
          creditLimit: zero,
          maxOpenRequests: null,
          accountId: alice,
          name: "Alice",
          openedAt: t0,
          erasedAt: t0 + 5
        },
        { ...entry, accountId: bob, name: "Bob", maxStoredBytes: 2 ** 52 },
        { ...entry, accountId: carol, name: "Carol" },
        { ...entry, accountId: dora, name: "Dora" }
      ]
      assert.deepStrictEqual(yield* keys.accounts({ after: null, limit: 10 }), expected)
      assert.deepStrictEqual(yield* keys.accounts({ after: null, limit: 1 }), expected.slice(0, 1))
      assert.deepStrictEqual(yield* keys.accounts({ after: alice, limit: 10 }), expected.slice(1))
      const ofAlice = yield* keys.list({ accountId: alice, after: null, limit: 10 })
      assert.deepStrictEqual(
        ofAlice.map(({ revokedAt }) => revokedAt),
        [t0 + 2, t0 + 5]
      )
    }).pipe(Effect.provide(ReadSide.layer))
  )
})
