import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as Cursor from "#src/edges/http/requests/Cursor.ts"
import { parseFilter } from "#src/edges/api/webhooks/ListDeliveries.ts"
import * as PageQuery from "#src/edges/http/requests/PageQuery.ts"
import type { Parsed } from "#src/edges/http/requests/Parsed.ts"

const placeForm = Schema.Struct({ at: Schema.Int, id: Schema.String })
const cursor = Cursor.make(placeForm)
const other = Cursor.make(Schema.Struct({ name: Schema.String }))
const { parse } = PageQuery.make(placeForm)

const issuesOf = (parsed: Parsed<unknown>) =>
  Result.isFailure(parsed) ? parsed.failure.map(({ code, path }) => [path.join("."), code]) : []

const place = { at: 1_767_614_400_000, id: "é, ÿ and \u{1f600}" }
const next = cursor.encode({ page: 2, after: place })

describe("a page", () => {
  it.each([
    [{}, { page: 1, after: null, limit: 20 }],
    [
      { page: "1", limit: "1" },
      { page: 1, after: null, limit: 1 }
    ],
    [
      { page: "999999999", limit: "100" },
      { page: 999_999_999, after: null, limit: 100 }
    ],
    [{ cursor: next }, { page: 2, after: place, limit: 20 }],
    [
      { cursor: next, limit: "7" },
      { page: 2, after: place, limit: 7 }
    ]
  ])("%j is accepted", (query, asked) => {
    assert.deepStrictEqual(parse(query), Result.succeed(asked))
  })

  it.each(["", "0", "-1", "+1", "01", "1.0", "1e1", " 1", "1 ", "0x1", "٣", "1000000000", "one", "null"])(
    "numbered %j is rejected, by a message without it",
    (page) => {
      const parsed = parse({ page })
      assert.deepStrictEqual(issuesOf(parsed), [["page", "range"]])
      assert.deepInclude(Result.isFailure(parsed) ? parsed.failure[0] : {}, {
        message: "page must be a whole number from 1 to 999999999"
      })
    }
  )

  it.each(["", "0", "101", "-5", "10,5", "all", "٣"])("of %j items is rejected", (limit) => {
    assert.deepStrictEqual(issuesOf(parse({ limit })), [["limit", "range"]])
  })

  it("reports every error", () => {
    assert.deepStrictEqual(issuesOf(parse({ page: "x", limit: "x" })), [
      ["page", "range"],
      ["limit", "range"]
    ])
  })

  it("rejects number and cursor together", () => {
    assert.deepStrictEqual(issuesOf(parse({ page: "2", cursor: next })), [["page", "exclusive"]])
  })
})

describe("a cursor", () => {
  it("with any character changed, missing or added is rejected", () => {
    for (let index = 0; index < next.length; index++) {
      const changed = next[index] === "A" ? "B" : "A"
      const damaged = [
        next.slice(0, index) + changed + next.slice(index + 1),
        next.slice(0, index) + next.slice(index + 1),
        `${next.slice(0, index)}A${next.slice(index)}`,
        next.slice(0, index)
      ]
      for (const text of damaged.filter((text) => text !== next)) {
        assert.deepStrictEqual(issuesOf(parse({ cursor: text })), [["cursor", "cursor"]], text)
      }
    }
  })

  it.each([
    "",
    " ",
    "=",
    `${next}=`,
    `${next}\n`,
    `${next} `,
    "../../etc/passwd",
    "\u0000",
    "é".repeat(5_000)
  ])("%j is rejected", (text) =>
    assert.deepStrictEqual(issuesOf(parse({ cursor: text })), [["cursor", "cursor"]])
  )

  it("of another list, or without a page, is rejected", () => {
    for (const text of [
      other.encode({ page: 1, after: { name: "x" } }),
      Cursor.make(Schema.Json).encode({ page: 1, after: [] })
    ]) {
      assert.deepStrictEqual(issuesOf(parse({ cursor: text })), [["cursor", "cursor"]])
    }
    assert.throws(() => cursor.encode({ page: 0, after: place }))
  })
})

describe("a filter of deliveries", () => {
  it("has only the given parameters", () => {
    assert.deepStrictEqual(
      parseFilter({}),
      Result.succeed({ requestId: undefined, status: undefined, event: undefined })
    )
    assert.deepStrictEqual(
      parseFilter({ status: "failed" }),
      Result.succeed({ requestId: undefined, status: "failed" as const, event: undefined })
    )
  })

  it.each(["", "x", "rq000000000000000000.", "rq0000000000000000000\n", "r".repeat(5_000)])(
    "by request %j is rejected",
    (requestId) => {
      assert.deepStrictEqual(issuesOf(parseFilter({ requestId })), [["requestId", "pattern"]])
    }
  )

  it.each(["", "FAILED", "failed ", "toString", "__proto__", "failed,pending"])(
    "by status or event %j is rejected",
    (name) => {
      assert.deepStrictEqual(issuesOf(parseFilter({ status: name, event: name })), [
        ["status", "enum"],
        ["event", "enum"]
      ])
    }
  )
})
