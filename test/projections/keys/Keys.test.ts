import { assert, describe, it } from "@effect/vitest"
import { type Array as NonEmpty, Effect } from "effect"
import { codec, type Event } from "#domain/account/Account.ts"
import { noLimits } from "#domain/account/Limits.ts"
import { AccountId, KeyId } from "#domain/Ids.ts"
import { NanoUsd, zero } from "#domain/Money.ts"
import { Keys } from "#projections/keys/Keys.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as ReadSide from "../ReadSide.ts"
import { alice, bob, carol, t0 } from "../RequestLog.ts"

const dora = AccountId.make("acc_dora")

const append = Effect.fnUntraced(function* (
  accountId: AccountId,
  ...[first, ...others]: NonEmpty.NonEmptyReadonlyArray<Event>
) {
  const encode = (event: Event, index: number) => ({
    id: `${accountId}-${event._tag}-${event.at}-${index}`,
    ...codec.encode(event)
  })
  yield* (yield* EventStore).append({
    stream: StreamName.make("Account", accountId),
    expected: ExpectedVersion.Any,
    events: [encode(first, 0), ...others.map(encode)]
  })
})

const issued = (keyId: string, at: number): Event => ({
  _tag: "KeyIssued",
  at,
  keyId: KeyId.make(keyId),
  name: `name of ${keyId}`,
  secretHash: "hash"
})

describe("Keys", () => {
  it.live("lists the keys of one account or of all, revoked ones too", () =>
    Effect.gen(function* () {
      yield* append(
        alice,
        { _tag: "AccountOpened", at: t0, accountId: alice, name: "Alice" },
        issued("k1", t0)
      )
      yield* append(bob, { _tag: "AccountOpened", at: t0, accountId: bob, name: "Bob" }, issued("k2", t0 + 1))
      yield* append(alice, issued("k3", t0 + 2))
      yield* append(alice, { _tag: "KeyRevoked", at: t0 + 3, keyId: KeyId.make("k1") })
      yield* ReadSide.settle("keys")
      const keys = yield* Keys

      assert.deepStrictEqual(yield* keys.list({ accountId: alice, after: null, limit: 10 }), [
        {
          keyId: KeyId.make("k1"),
          accountId: alice,
          accountName: "Alice",
          name: "name of k1",
          issuedAt: t0,
          revokedAt: t0 + 3
        },
        {
          keyId: KeyId.make("k3"),
          accountId: alice,
          accountName: "Alice",
          name: "name of k3",
          issuedAt: t0 + 2,
          revokedAt: null
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

  it.live("lists accounts with the limits that hold, and erased ones with their keys revoked", () =>
    Effect.gen(function* () {
      yield* append(
        alice,
        { _tag: "AccountOpened", at: t0, accountId: alice, name: "Alice" },
        issued("k1", t0),
        issued("k2", t0)
      )
      yield* append(bob, { _tag: "AccountOpened", at: t0 + 1, accountId: bob, name: "Bob" })
      const creditLimit = NanoUsd.make(10n ** 18n)
      yield* append(bob, { _tag: "LimitsChanged", at: t0 + 2, creditLimit: zero, maxOpenRequests: 5 })
      yield* append(bob, { _tag: "LimitsChanged", at: t0 + 3, creditLimit, maxOpenRequests: null })
      const limits = { creditLimit, maxOpenRequests: 7 }
      yield* append(bob, { _tag: "LimitsChanged", at: t0 + 4, ...limits, maxStoredBytes: 2 ** 52 })
      yield* append(carol, { _tag: "AccountOpened", at: t0 + 1, accountId: carol, name: "Carol" })
      yield* append(carol, { _tag: "LimitsChanged", at: t0 + 2, ...limits, maxStoredBytes: 1 })
      yield* append(carol, { _tag: "LimitsChanged", at: t0 + 3, ...limits, maxStoredBytes: null })
      yield* append(dora, { _tag: "AccountOpened", at: t0 + 1, accountId: dora, name: "Dora" })
      yield* append(dora, { _tag: "LimitsChanged", at: t0 + 2, ...limits, maxStoredBytes: 1 })
      // As it was written before there were quotas.
      yield* append(dora, { _tag: "LimitsChanged", at: t0 + 3, ...limits })
      yield* append(alice, { _tag: "KeyRevoked", at: t0 + 2, keyId: KeyId.make("k1") })
      yield* append(alice, { _tag: "AccountErased", at: t0 + 5 })
      yield* ReadSide.settle("keys")
      const keys = yield* Keys

      const entry = { openedAt: t0 + 1, erasedAt: null, ...limits, maxStoredBytes: null }
      const expected = [
        { ...entry, ...noLimits, accountId: alice, name: "Alice", openedAt: t0, erasedAt: t0 + 5 },
        { ...entry, accountId: bob, name: "Bob", maxStoredBytes: 2 ** 52 },
        { ...entry, accountId: carol, name: "Carol" },
        { ...entry, accountId: dora, name: "Dora" }
      ]
      assert.deepStrictEqual(yield* keys.accounts({ after: null, limit: 10 }), expected)
      assert.deepStrictEqual(yield* keys.accounts({ after: null, limit: 1 }), expected.slice(0, 1))
      assert.deepStrictEqual(yield* keys.accounts({ after: alice, limit: 10 }), expected.slice(1))
      const revoked = yield* keys.list({ accountId: alice, after: null, limit: 10 })
      assert.deepStrictEqual(
        revoked.map(({ revokedAt }) => revokedAt),
        [t0 + 2, t0 + 5]
      )
    }).pipe(Effect.provide(ReadSide.layer))
  )
})
