import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { noLimits, type Rate } from "#domain/account/Limits.ts"
import { AccountId, KeyId } from "#domain/Ids.ts"
import { RateLimits } from "#src/features/accounts/RateLimits.ts"
import * as RateLimitFields from "#src/edges/http/RateLimitFields.ts"

/** As in docs/reference/rate-limits.md: how long a client sleeps so that it is never refused, ms. */
const pauseOf = (field: string): number =>
  Math.max(
    ...field.split(", ").map((item) => {
      const [, left, seconds] = /^"\w+";r=(\d+);t=(\d+)$/.exec(item) ?? assert.fail(item)
      return (Number(seconds) / Math.max(1, Number(left))) * 1_000
    })
  )

const paced = (accountRate: Rate, keyRate: Rate, atOnce: number) =>
  Effect.gen(function* () {
    const { take } = yield* RateLimits
    const caller = {
      accountId: AccountId.make("acme"),
      keyId: KeyId.make("one"),
      limits: { ...noLimits, accountRate, keyRate }
    }
    for (let count = 1; count < atOnce; count++) take(caller)
    for (let count = 0; count < 200; count++) {
      const { refusedBy, standings } = take(caller)
      assert.isNull(refusedBy, `call ${count}`)
      yield* TestClock.adjust(Math.ceil(pauseOf(RateLimitFields.ofRates(standings).ratelimit)))
    }
  }).pipe(Effect.provide(RateLimits.layer))

const rate = (requests: number, windowSeconds: number): Rate => ({ requests, windowSeconds })

describe("RateLimit", () => {
  it.effect.each([
    [rate(100, 60), rate(20, 1), 1],
    [rate(100, 60), rate(20, 1), 20],
    [rate(7, 3), rate(5, 11), 5],
    [rate(1, 86_400), rate(1, 1), 1],
    [rate(1_000_000, 1), rate(3, 7), 3]
  ] as const)("never rejects a client that follows it: %o, %o, after %d at once", ([account, key, atOnce]) =>
    paced(account, key, atOnce)
  )
})
