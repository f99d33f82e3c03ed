import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import * as RecoverDeliveries from "#src/edges/api/webhooks/RecoverDeliveries.ts"

const now = Date.parse("2026-01-05T12:00:00Z")

const parse = (body: JsonObject) =>
  Result.flatMap(RecoverDeliveries.body.check(body), (given) => RecoverDeliveries.parse(given, now))

const issuesOf = (body: JsonObject) => {
  const parsed = parse(body)
  return Result.isFailure(parsed) ? parsed.failure.map(({ code, path }) => [path.join("."), code]) : []
}

describe("the body of a recovery", () => {
  it.each([
    ["2026-01-05T11:59:59.999Z", now - 1],
    ["2026-01-05T11:00:00Z", now - 3_600_000],
    ["2026-01-05T12:00:00+01:00", now - 3_600_000],
    ["2026-01-05T05:59:00.5-05:00", now - 3_659_500],
    ["1969-12-31T23:59:59Z", -1_000]
  ])("has since %s, and ends now", (since, millis) => {
    assert.deepStrictEqual(parse({ since }), Result.succeed({ since: millis, until: now }))
  })

  it("accepts until, also in the future", () => {
    const body = { since: "2026-01-05T12:00:00Z", until: "2026-01-05T12:00:00.001Z" }
    assert.deepStrictEqual(parse(body), Result.succeed({ since: now, until: now + 1 }))
  })

  it.each([
    "",
    "now",
    "2026-01-05",
    "2026-01-05T12:00:00",
    "2026-01-05 11:00:00Z",
    "2026-01-05t11:00:00Z",
    "2026-02-29T11:00:00Z",
    "2026-13-01T11:00:00Z",
    "2026-01-05T24:00:00Z",
    "2026-01-05T11:60:00Z",
    "2016-12-31T23:59:60Z",
    "2026-01-05T11:00Z",
    "2026-01-05T11:00:00+25:00",
    "2026-01-05T11:00:00Z ",
    "1767614400",
    "+012026-01-05T11:00:00Z"
  ])("rejects the date-time %j", (text) => {
    assert.deepStrictEqual(issuesOf({ since: text }), [["since", "format"]])
    assert.deepStrictEqual(issuesOf({ since: "2020-01-01T00:00:00Z", until: text }), [["until", "format"]])
  })

  it.each([
    [{}, [["since", "required"]]],
    [{ until: "2026-01-05T11:00:00Z" }, [["since", "required"]]],
    [{ since: 1_767_614_400 }, [["since", "type"]]],
    [{ since: null }, [["since", "type"]]],
    [{ since: "2026-01-05T11:00:00Z", until: null }, [["until", "type"]]],
    [{ since: "2026-01-05T11:00:00Z", untill: "2026-01-05T11:30:00Z" }, [["untill", "additionalProperties"]]],
    [{ since: "2026-01-05T12:00:00Z" }, [["since", "range"]]],
    [{ since: "2026-01-05T11:00:00Z", until: "2026-01-05T11:00:00Z" }, [["since", "range"]]]
  ])("%j is rejected", (body, issues) => {
    assert.deepStrictEqual(issuesOf(body), issues)
  })
})
