/** Lists of keys: their rights, their last use, and pages. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { Origin } from "#domain/account/Origin.ts"
import * as Grant from "#domain/account/Grant.ts"
import { type AccountId, KeyId } from "#domain/Ids.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { NanoUsd } from "#domain/Money.ts"
import * as Queries from "#projections/keys/KeyQueries.ts"
import { Keys } from "#projections/keys/Keys.ts"
import * as KeysProjection from "#projections/keys/KeysProjection.ts"
import { ReadModels } from "#projections/ReadModels.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import { applyAll, cut } from "#test/support/projections/batch/Batch.ts"
import * as FileLog from "#test/support/projections/files/FileLog.ts"
import { stepsOf } from "#test/support/projections/QueryPlan.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import * as RequestLog from "#test/support/projections/RequestLog.ts"
import { alice, bob, echo } from "#test/support/projections/RequestLog.ts"
import { append, issued, opened, revoked, rotated } from "#test/support/projections/keys/KeyLog.ts"

/** The beginning of a minute. */
const t0 = 1_699_999_980_000
const minute = 60_000

const submitted = (keyId: string, at: number, accountId: AccountId = alice) => ({
  ...RequestLog.submitted(accountId, echo, at),
  keyId: KeyId.make(keyId)
})

/** By key id, for one account. */
const usesOf = Effect.fnUntraced(function* (accountId: AccountId) {
  yield* ReadSide.settle("keys")
  const { items } = yield* (yield* Keys).ofAccount({ accountId, page: 1, after: null, limit: 100 })
  return Object.fromEntries(items.map(({ keyId, lastUsedAt }) => [keyId, lastUsedAt]))
})

/** A log on which keys of several accounts are issued, used and revoked. */
const busyLog = Effect.gen(function* () {
  yield* append(alice, opened(alice, "Alice", t0), issued("k1", t0), issued("k2", t0))
  yield* append(bob, opened(bob, "Bob", t0), issued("b1", t0))
  yield* RequestLog.append(1, submitted("k1", t0 + 1))
  yield* RequestLog.append(2, submitted("k1", t0 + minute + 2))
  yield* append(alice, rotated("k1", t0 + minute + 3), revoked("k2", t0 + minute + 4))
  yield* RequestLog.append(3, submitted("b1", t0 + minute + 5, bob))
  yield* append(bob, issued("b2", t0 + 2 * minute), { _tag: "AccountErased", at: t0 + 2 * minute })
  yield* RequestLog.append(4, submitted("k1", t0 + 2 * minute))
})

describe("A list of keys", () => {
  it.live("shows the rights and the rotation of each, and full rights without limits", () =>
    Effect.gen(function* () {
      const grant: Grant.Grant = {
        scopes: ["requests:write", "keys:admin"],
        modelEndpoints: [ModelEndpoint.make("vision/ocr")],
        monthlyBudget: NanoUsd.make(25_000_000_000n),
        expiresAt: t0 + 9,
        origins: [Origin.make("https://app.example")]
      }
      yield* append(
        alice,
        opened(alice, "Alice", t0),
        issued("k1", t0, grant),
        issued("k2", t0, { expiresAt: null, modelEndpoints: null }),
        rotated("k2", t0 + 7)
      )
      yield* ReadSide.settle("keys")
      const keys = yield* Keys
      const { items } = yield* keys.ofAccount({ accountId: alice, page: 1, after: null, limit: 10 })
      const item = { issuedAt: t0, rotatedAt: null, revokedAt: null, lastUsedAt: null }
      const expected = [
        { keyId: KeyId.make("k1"), name: "name of k1", ...item, ...grant },
        { keyId: KeyId.make("k2"), name: "name of k2", ...item, ...Grant.unlimited, rotatedAt: t0 + 7 }
      ]
      assert.deepStrictEqual(items, expected.toReversed())
      const listed = yield* keys.list({ accountId: alice, after: null, limit: 10 })
      const account = { accountId: alice, accountName: "Alice" }
      assert.deepStrictEqual(
        listed,
        expected.map((key) => ({ ...key, ...account }))
      )
    }).pipe(Effect.provide(ReadSide.layer))
  )

  it.live("is divided into pages, newest first, with each key on one page", () =>
    Effect.gen(function* () {
      // Several in the same ms, ordered by their ids.
      const times = [0, 1, 1, 1, 2].map((at) => t0 + at)
      yield* append(alice, opened(alice, "Alice", t0), ...times.map((at, index) => issued(`k${index}`, at)))
      yield* append(bob, opened(bob, "Bob", t0), issued("b", t0 + 1))
      yield* ReadSide.settle("keys")
      const keys = yield* Keys
      const ofAlice = (options: { readonly page: number; readonly after: Queries.PageKey | null }) =>
        Effect.map(keys.ofAccount({ accountId: alice, limit: 2, ...options }), ({ items, next, total }) => ({
          ids: items.map(({ keyId }) => String(keyId)),
          next,
          total
        }))
      const first = yield* ofAlice({ page: 1, after: null })
      assert.deepStrictEqual(first, { ids: ["k4", "k3"], next: { issuedAt: t0 + 1, keyId: "k3" }, total: 5 })
      yield* append(alice, issued("k5", t0 + 3))
      yield* ReadSide.settle("keys")
      const second = yield* ofAlice({ page: 2, after: first.next })
      assert.deepStrictEqual(second.ids, ["k2", "k1"])
      assert.deepStrictEqual(yield* ofAlice({ page: 3, after: second.next }), {
        ids: ["k0"],
        next: null,
        total: 6
      })
      assert.deepStrictEqual((yield* ofAlice({ page: 3, after: null })).ids, ["k1", "k0"])
      assert.deepStrictEqual((yield* ofAlice({ page: 4, after: null })).ids, [])
    }).pipe(Effect.provide(ReadSide.layer))
  )

  it.live("reads only the index of its order", () =>
    Effect.gen(function* () {
      const sql = yield* ReadModels
      for (const after of [null, { issuedAt: t0, keyId: "k" }]) {
        const [step, ...others] = yield* stepsOf(
          Queries.ofAccount(sql, alice, { after, offset: 0, limit: 20 })
        )
        assert.match(String(step), /^SEARCH keys_keys USING INDEX keys_by_time \(account_id=\?/)
        assert.deepStrictEqual(others, [])
      }
    }).pipe(Effect.provide(ReadSide.layer))
  )
})

describe("The last use of a key", () => {
  it.live("is the minute of its last submit or announced file", () =>
    Effect.gen(function* () {
      yield* append(
        alice,
        opened(alice, "Alice", t0),
        ...["k1", "k2", "k3", "k4"].map((keyId) => issued(keyId, t0))
      )
      yield* append(bob, opened(bob, "Bob", t0), issued("k4", t0))
      yield* RequestLog.append(1, submitted("k1", t0 + 59_999))
      yield* RequestLog.append(2, submitted("k2", t0 + minute), RequestLog.completed(1, t0 + 9 * minute))
      yield* FileLog.perform(1, FileLog.initiate({ keyId: KeyId.make("k3"), at: t0 + 2 * minute + 1 }))
      yield* RequestLog.append(3, submitted("k4", t0 + minute, bob))
      yield* RequestLog.append(4, submitted("unknown", t0 + minute))
      assert.deepStrictEqual(yield* usesOf(alice), {
        k1: t0,
        k2: t0 + minute,
        k3: t0 + 2 * minute,
        k4: null
      })
      assert.deepStrictEqual(yield* usesOf(bob), { k4: t0 + minute })
      const { lastUsedAt } = yield* Keys
      assert.strictEqual(yield* lastUsedAt({ accountId: alice, keyId: KeyId.make("k2") }), t0 + minute)
      assert.isNull(yield* lastUsedAt({ accountId: alice, keyId: KeyId.make("nobody") }))
    }).pipe(Effect.provide(ReadSide.layer))
  )

  it.live("never goes back, even if clocks do", () =>
    Effect.gen(function* () {
      yield* append(alice, opened(alice, "Alice", t0), issued("k1", t0))
      yield* RequestLog.append(1, submitted("k1", t0 + 5 * minute))
      yield* RequestLog.append(2, submitted("k1", t0 + 2 * minute))
      assert.deepStrictEqual(yield* usesOf(alice), { k1: t0 + 5 * minute })
    }).pipe(Effect.provide(ReadSide.layer))
  )

  it.live("is the same wherever the log is divided into batches", () =>
    Effect.gen(function* () {
      yield* busyLog
      const events = yield* Stream.runCollect((yield* EventReader).readAll(GlobalPosition.beginning))
      const directory = yield* TempDirectory.make
      const dumps = [1, 2, 3, 100].map((size) => {
        const filename = `${directory}/${size}.sqlite`
        assert.deepStrictEqual(applyAll(filename, [KeysProjection.projection], cut(events, size)), [])
        const { keys_accounts, keys_keys } = ReadSide.dump(filename)
        return { keys_accounts, keys_keys }
      })
      assert.lengthOf(dumps[0]?.keys_keys ?? [], 4)
      for (const dump of dumps) assert.deepStrictEqual(dump, dumps[0])
      assert.include(JSON.stringify(dumps[0]), `"last_used_at":${t0 + 2 * minute}`)
    }).pipe(Effect.scoped, Effect.provide(ReadSide.layer))
  )
})
