import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as GetUsage from "#src/edges/api/account/GetUsage.ts"

const now = Date.UTC(2026, 0, 15)

const parse = (query: Parameters<typeof GetUsage.parse>[0]) => GetUsage.parse(query, now)

describe("The time of a usage query", () => {
  it.each([
    ["0000-01-01", "0001-01-01"],
    ["0099-01-01", "0099-02-01"],
    ["1969-12-31", "1970-02-01"],
    ["1970-01-01", "9999-01-01"]
  ])("is rejected when it is from %s to %s", (start, end) => {
    const parsed = parse({ start, end, granularity: "month" })
    if (Result.isSuccess(parsed)) return assert.fail("taken")
    assert.strictEqual(parsed.failure[0]?.code, "range")
    assert.include(parsed.failure[0]?.message, "must be of the years 1970 to 9998")
  })

  it.each([
    ["1970-01-01", "1970-01-02", 0, Date.UTC(1970, 1)],
    ["9998-12-01", "9998-12-31", Date.UTC(9998, 11), Date.UTC(9999, 0)]
  ])("is accepted when it is from %s to %s", (start, end, first, last) => {
    const parsed = parse({ start, end, granularity: "month" })
    if (Result.isFailure(parsed)) return assert.fail("refused")
    assert.deepInclude(parsed.success, { start: first, end: last })
  })
})
