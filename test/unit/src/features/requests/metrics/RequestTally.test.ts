import { assert, describe, it } from "@effect/vitest"
import * as RequestTally from "#src/features/requests/metrics/RequestTally.ts"
import * as WaitBuckets from "#src/features/requests/metrics/WaitBuckets.ts"

const dispatched = (at: number, attempt = 1) =>
  ({ _tag: "DispatchStarted", at, attempt, provider: "gpu", node: "n" }) as const

describe("RequestTally", () => {
  it("counts since the last look", () => {
    const tally = RequestTally.make()
    tally.note(dispatched(1_500), 1_000)
    tally.note({ _tag: "RequestStarted", at: 1_600, attempt: 1 }, 1_000)
    tally.note({ _tag: "RequestFailed", at: 1_700, attempt: 1, reason: "refused", message: "no" }, 1_000)
    const { waits, ...counts } = tally.take()
    assert.deepInclude(counts, { dispatched: 1, failed: 1, accepted: 0 })
    assert.strictEqual(
      waits.reduce((sum, count) => sum + count, 0),
      1
    )
    assert.deepStrictEqual(tally.take(), RequestTally.none)
  })

  it("measures the wait for the first run only", () => {
    const tally = RequestTally.make()
    tally.note(dispatched(9_000, 2), 1_000)
    assert.deepInclude(tally.take(), { dispatched: 1, waits: [] })
  })
})

describe("The buckets of waits", () => {
  const of = (...waits: ReadonlyArray<number>) => {
    const buckets = WaitBuckets.make()
    for (const wait of waits) WaitBuckets.note(buckets, wait)
    return WaitBuckets.trimmed(buckets)
  }

  it("find a quantile within 41 %", () => {
    for (const wait of [2, 40, 950, 60_000, 3_600_000]) {
      const found = WaitBuckets.quantile(of(wait, wait, wait), 0.5) ?? 0
      assert.isTrue(found >= wait / Math.SQRT2 && found <= wait * Math.SQRT2, `${wait}: ${found}`)
    }
    const mixed = of(...Array.from({ length: 90 }, () => 10), ...Array.from({ length: 10 }, () => 10_000))
    assert.isBelow(WaitBuckets.quantile(mixed, 0.5) ?? Infinity, 20)
    assert.isAbove(WaitBuckets.quantile(mixed, 0.95) ?? 0, 5_000)
    assert.isNull(WaitBuckets.quantile([], 0.5))
  })

  it("take a clock that was set back for no wait, and years for the longest", () => {
    assert.deepStrictEqual(of(-5), [1])
    assert.strictEqual(of(10 ** 12).length, WaitBuckets.make().length)
  })

  it("add up over nodes", () => {
    assert.deepStrictEqual(WaitBuckets.add([1, 2], [0, 1, 4]), [1, 3, 4])
  })
})
