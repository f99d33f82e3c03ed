import { assert, describe, it } from "@effect/vitest"
import * as Period from "#src/features/billing/audit/Period.ts"

describe("A time of a period", () => {
  it("is a date or a time, in UTC unless it has a zone", () => {
    const noon = Date.UTC(2026, 0, 31, 12)
    assert.strictEqual(Period.parseTime("2026-01-31"), Date.UTC(2026, 0, 31))
    for (const text of [
      "2026-01-31T12:00",
      "2026-01-31T12:00Z",
      "2026-01-31T12:00:00.000Z",
      "2026-01-31T13:00:00+01:00"
    ]) {
      assert.strictEqual(Period.parseTime(text), noon, text)
    }
  })

  it("rejects anything else", () => {
    const wrong = [
      "",
      "2026",
      "2026-1-1",
      "2026-02-29",
      "2026-02-30T00:00Z",
      "2026-01-01T25:00",
      "1767225600000"
    ]
    for (const text of [...wrong, "2026-01-01 00:00", "2026-01-01T00:00+99:99", "x2026-01-01"]) {
      assert.isNull(Period.parseTime(text), text)
    }
  })
})
