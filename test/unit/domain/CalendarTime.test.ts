/** Compares calendar times with the dates that ISO 8601 writes. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { endOf, Granularity, startOf } from "#domain/CalendarTime.ts"

/** The length of the part of a date-time that identifies its bucket. */
const precision = { hour: 13, day: 10, month: 7 }

const nameOf = (granularity: Granularity, at: number): string =>
  new Date(at).toISOString().slice(0, precision[granularity])

const between = (from: string, to: string) => fc.integer({ min: Date.parse(from), max: Date.parse(to) })

const times = fc.oneof(
  between("1960-01-01", "2100-01-01"),
  between("0000-02-01", "0100-02-01"),
  between("0100-01-01", "9999-11-30")
)

describe("A bucket of time", () => {
  it.each(Granularity.literals)("begins and ends at the start and end of its %s", (granularity) => {
    fc.assert(
      fc.property(times, (at) => {
        const start = startOf(granularity, at)
        const end = endOf(granularity, at)
        assert.isTrue(start <= at && at < end)
        for (const inside of [start, end - 1]) {
          assert.strictEqual(nameOf(granularity, inside), nameOf(granularity, at))
        }
        for (const outside of [start - 1, end]) {
          assert.notStrictEqual(nameOf(granularity, outside), nameOf(granularity, at))
        }
        assert.strictEqual(startOf(granularity, end), end)
      })
    )
  })

  it("of a month has the length of the month, in leap years and at the turn of a year", () => {
    const february = Date.UTC(2028, 1, 29, 23, 59, 59, 999)
    assert.strictEqual(startOf("month", february), Date.UTC(2028, 1))
    assert.strictEqual(endOf("month", february), Date.UTC(2028, 2))
    assert.strictEqual(endOf("month", Date.UTC(2028, 11, 31)), Date.UTC(2029, 0))
  })
})
