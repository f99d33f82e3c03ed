/** Properties for every rate and every pattern of calls. A failure prints the seed. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { Rate } from "#domain/account/Limits.ts"
import * as TokenBucket from "#src/kernel/limits/TokenBucket.ts"

const rate = fc.record({
  requests: fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 1_000_000 })),
  windowSeconds: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 86_400 }))
})

/** Pauses in ms, each before some calls. */
const bursts = fc.array(
  fc.record({
    pause: fc.oneof(fc.nat(2_000), fc.nat(100_000_000)),
    calls: fc.nat(60)
  }),
  { maxLength: 40 }
)

/** Takes one, if there is one. */
const call = (bucket: TokenBucket.TokenBucket, rate: Rate, now: number): boolean => {
  TokenBucket.refill(bucket, rate, now)
  if (TokenBucket.remaining(bucket) === 0) return false
  TokenBucket.take(bucket)
  return true
}

/** The times of the admitted calls. */
const run = (rate: Rate, story: ReadonlyArray<{ readonly pause: number; readonly calls: number }>) => {
  const bucket = TokenBucket.full(rate, 0)
  const taken: Array<number> = []
  let now = 0
  for (const { calls, pause } of story) {
    now += pause
    for (let count = 0; count < calls; count++) if (call(bucket, rate, now)) taken.push(now)
  }
  return taken
}

describe("A token bucket", () => {
  it("allows at most its capacity plus its refill, in any period", () => {
    fc.assert(
      fc.property(rate, bursts, (rate, story) => {
        const taken = run(rate, story)
        taken.forEach((from, first) => {
          for (let last = first; last < taken.length; last++) {
            const elapsed = BigInt((taken[last] ?? 0) - from)
            const window = BigInt(rate.windowSeconds * 1_000)
            const most = BigInt(rate.requests) * (window + elapsed)
            if (BigInt(last - first + 1) * window > most) assert.fail(`${last - first + 1} in ${elapsed} ms`)
          }
        })
      }),
      { numRuns: 200 }
    )
  })

  it("grants the next one exactly when announced", () => {
    fc.assert(
      fc.property(rate, fc.nat(2_000), fc.nat(30), (rate, pause, calls) => {
        const bucket = TokenBucket.full(rate, 0)
        for (let count = 0; count < calls; count++) call(bucket, rate, pause)
        TokenBucket.refill(bucket, rate, pause)
        const before = TokenBucket.remaining(bucket)
        if (before === rate.requests) return
        const wait = TokenBucket.untilNextMs(bucket)
        TokenBucket.refill(bucket, rate, pause + wait - 1)
        assert.strictEqual(TokenBucket.remaining(bucket), before)
        TokenBucket.refill(bucket, rate, pause + wait)
        assert.isAbove(TokenBucket.remaining(bucket), before)
      })
    )
  })

  it("loses nothing, however often it is refilled", () => {
    fc.assert(
      fc.property(rate, fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 200 }), (rate, steps) => {
        const [often, once] = [TokenBucket.full(rate, 0), TokenBucket.full(rate, 0)]
        const calls = Math.min(rate.requests, 1_000)
        for (let count = 0; count < calls; count++) for (const one of [often, once]) TokenBucket.take(one)
        let now = 0
        for (const step of steps) TokenBucket.refill(often, rate, (now += step))
        TokenBucket.refill(once, rate, now)
        assert.strictEqual(often.level, once.level)
      })
    )
  })

  it("carries consumption over to a new rate, and is capped at its capacity", () => {
    fc.assert(
      fc.property(rate, rate, fc.nat(1_000), (before, after, calls) => {
        const bucket = TokenBucket.full(before, 0)
        const taken = Math.min(calls, before.requests)
        for (let count = 0; count < calls; count++) call(bucket, before, 0)
        TokenBucket.refill(bucket, after, 0)
        assert.strictEqual(bucket.rate, after)
        assert.strictEqual(TokenBucket.remaining(bucket), Math.max(0, after.requests - taken))
      })
    )
  })

  it("has returned tokens at once, up to its capacity", () => {
    fc.assert(
      fc.property(rate, fc.nat(1_000), fc.nat(1_000), (rate, calls, more) => {
        const bucket = TokenBucket.full(rate, 0)
        const taken = Math.min(calls, rate.requests)
        for (let count = 0; count < taken; count++) TokenBucket.take(bucket)
        for (let count = 0; count < more; count++) TokenBucket.giveBack(bucket)
        assert.strictEqual(TokenBucket.remaining(bucket), rate.requests - Math.max(0, taken - more))
      })
    )
  })

  it("waits for a clock that is behind it", () => {
    const rate = { requests: 1, windowSeconds: 1 }
    const bucket = TokenBucket.full(rate, 5_000)
    assert.isTrue(call(bucket, rate, 5_000))
    assert.isFalse(call(bucket, rate, 4_000))
    assert.isFalse(call(bucket, rate, 5_999))
    assert.isTrue(call(bucket, rate, 6_000))
  })
})
