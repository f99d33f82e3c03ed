import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { hourMs } from "#projections/history/HistoryCounters.ts"
import * as WholeHours from "#projections/history/WholeHours.ts"

/** The number of parts that contain the moment. */
const timesIn = ({ edges, whole }: WholeHours.Divided, at: number): number => {
  const hour = Math.floor(at / hourMs)
  const inWhole = whole !== null && hour >= whole.first && hour <= whole.last
  const inEdges = edges.filter(
    ({ createdAfter = -Infinity, createdBefore = Infinity }) => at > createdAfter && at < createdBefore
  )
  return inEdges.length + (inWhole ? 1 : 0)
}

const moment = fc.oneof(
  fc.integer({ min: 0, max: 5 * hourMs }),
  fc.integer({ min: 0, max: 5 }).map((hour) => hour * hourMs),
  fc.integer({ min: 1, max: 5 }).map((hour) => hour * hourMs - 1)
)
const bound = fc.option(moment, { nil: undefined })

describe("WholeHours", () => {
  it("divides a time range so that each moment is in exactly one part", () => {
    fc.assert(
      fc.property(bound, bound, moment, (createdAfter, createdBefore, at) => {
        const bounds = {
          ...(createdAfter !== undefined && { createdAfter }),
          ...(createdBefore !== undefined && { createdBefore })
        }
        const isBetween = at > (createdAfter ?? -1) && at < (createdBefore ?? Infinity)
        assert.strictEqual(timesIn(WholeHours.of(bounds), at), isBetween ? 1 : 0)
      }),
      { numRuns: 2_000, verbose: 1 }
    )
  })

  it("has no rest if a bound is between two hours", () => {
    const { edges, whole } = WholeHours.of({ createdAfter: hourMs - 1, createdBefore: 3 * hourMs })
    assert.deepStrictEqual(whole, { first: 1, last: 2 })
    assert.deepStrictEqual(edges, [
      { createdAfter: hourMs - 1, createdBefore: hourMs },
      { createdAfter: 3 * hourMs - 1, createdBefore: 3 * hourMs }
    ])
  })
})
