import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { type Limits, noLimits } from "#domain/account/Limits.ts"
import { AccountId, KeyId } from "#domain/Ids.ts"
import { isLimited, RateLimits } from "#src/features/accounts/RateLimits.ts"

const rate = (requests: number, windowSeconds: number) => ({ requests, windowSeconds })

const caller = (limits: Partial<Limits>, key = "one", account = "acme") => ({
  accountId: AccountId.make(account),
  keyId: KeyId.make(key),
  limits: { ...noLimits, ...limits }
})

/** The limit that refused the call, or `null`, and the rest of each limit. */
const take = (by: ReturnType<typeof caller>) =>
  Effect.map(RateLimits, (rates) => {
    const { refusedBy, standings } = rates.take(by)
    return [refusedBy?.scope ?? null, ...standings.map(({ remaining }) => remaining)]
  })

describe("RateLimits", () => {
  it("apply only to callers that have a rate", () => {
    assert.isFalse(isLimited(caller({ maxOpenRequests: 1, maxStreams: 1 })))
    assert.isTrue(isLimited(caller({ accountRate: rate(1, 1) })))
    assert.isTrue(isLimited(caller({ keyRate: rate(1, 1) })))
  })

  it.effect("allow a burst of the full rate, and then one call after another", () =>
    Effect.gen(function* () {
      const acme = caller({ keyRate: rate(3, 6) })
      for (const left of [2, 1, 0]) assert.deepStrictEqual(yield* take(acme), [null, left])
      assert.deepStrictEqual(yield* take(acme), ["key", 0])
      yield* TestClock.adjust("1999 millis")
      assert.deepStrictEqual(yield* take(acme), ["key", 0])
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* take(acme), [null, 0])
      assert.deepStrictEqual(yield* take(acme), ["key", 0])
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* take(acme), [null, 2])
    }).pipe(Effect.provide(RateLimits.layer))
  )

  it.effect("count an account over all its keys, and each key separately", () =>
    Effect.gen(function* () {
      const limits = { accountRate: rate(3, 60), keyRate: rate(2, 60) }
      const [one, two] = [caller(limits, "one"), caller(limits, "two")]
      assert.deepStrictEqual(yield* take(one), [null, 2, 1])
      assert.deepStrictEqual(yield* take(one), [null, 1, 0])
      assert.deepStrictEqual(yield* take(one), ["key", 1, 0])
      assert.deepStrictEqual(yield* take(two), [null, 0, 1])
      assert.deepStrictEqual(yield* take(two), ["account", 0, 1])
      assert.deepStrictEqual(yield* take(caller(limits, "three", "other")), [null, 2, 1])
    }).pipe(Effect.provide(RateLimits.layer))
  )

  it.effect("count nothing for a rejected call", () =>
    Effect.gen(function* () {
      const limits = { accountRate: rate(10, 60), keyRate: rate(1, 1) }
      assert.deepStrictEqual(yield* take(caller(limits)), [null, 9, 0])
      for (let count = 0; count < 50; count++) {
        assert.deepStrictEqual(yield* take(caller(limits)), ["key", 9, 0])
      }
    }).pipe(Effect.provide(RateLimits.layer))
  )

  it.effect("allow all or none of several calls, and report when all are allowed", () =>
    Effect.gen(function* () {
      const { takeRest } = yield* RateLimits
      const acme = caller({ accountRate: rate(20, 20), keyRate: rate(6, 60) })
      const left = ({ standings }: ReturnType<typeof takeRest>) => standings.map(({ remaining }) => remaining)
      yield* take(acme)
      assert.deepStrictEqual(left(takeRest(acme, 4)), [16, 2])
      // For 9 of them the bucket must be full: a tenth of a minute for each of four.
      for (const [calls, nextInSeconds] of [
        [3, 10],
        [9, 40]
      ] as const) {
        yield* take(acme)
        const refused = takeRest(acme, calls)
        assert.deepStrictEqual(left(refused), [16, 2])
        assert.deepInclude(refused.refusedBy, { scope: "key", nextInSeconds })
      }
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* take(acme), [null, 19, 2])
      assert.deepStrictEqual(left(takeRest(acme, 3)), [17, 0])
    }).pipe(Effect.provide(RateLimits.layer))
  )

  it.effect("report the longest wait, in whole seconds and at least one", () =>
    Effect.gen(function* () {
      const { take } = yield* RateLimits
      const limits = { accountRate: rate(1, 30), keyRate: rate(1_000, 1) }
      assert.deepInclude(take(caller(limits)).standings[1], { remaining: 999, nextInSeconds: 1 })
      const both = caller({ accountRate: rate(1, 30), keyRate: rate(1, 60) }, "other")
      assert.deepInclude(take(both).refusedBy, { scope: "account", nextInSeconds: 30 })
      yield* TestClock.adjust("30 seconds")
      assert.isNull(take(both).refusedBy)
      assert.deepInclude(take(both).refusedBy, { scope: "key", nextInSeconds: 60 })
      yield* TestClock.adjust("100 millis")
      assert.deepInclude(take(both).refusedBy, { scope: "key", nextInSeconds: 60 })
      yield* TestClock.adjust("59 seconds")
      assert.deepInclude(take(both).refusedBy, { scope: "key", nextInSeconds: 1 })
    }).pipe(Effect.provide(RateLimits.layer))
  )

  it.effect("follow a change at once", () =>
    Effect.gen(function* () {
      for (let count = 0; count < 5; count++) yield* take(caller({ keyRate: rate(10, 10) }))
      assert.deepStrictEqual(yield* take(caller({ keyRate: rate(100, 10) })), [null, 94])
      assert.deepStrictEqual(yield* take(caller({ keyRate: rate(4, 10) })), ["key", 0])
      assert.deepStrictEqual(yield* take(caller({ keyRate: rate(10, 20) })), [null, 5])
    }).pipe(Effect.provide(RateLimits.layer))
  )
})
