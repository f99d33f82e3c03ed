import { assert, describe, it } from "@effect/vitest"
import { fitting } from "#src/platform/cluster/NodeReports.ts"
import * as ReportBoard from "#src/platform/cluster/ReportBoard.ts"

const minute = 60_000

describe("The board of nodes' reports", () => {
  it("keeps the last report of each node, and forgets those that are gone for ten minutes", () => {
    const board = ReportBoard.make("self", 1)
    const other = ReportBoard.make("other", 2)
    board.heard("other", other.compose({ runs: 1 }, 10), 10)
    board.heard("other", other.compose({ runs: 2 }, 20), 20)
    assert.deepStrictEqual(board.list(["other", "self"], 30), [
      { name: "other", isSelf: false, isLive: true, startedAt: 2, heardAt: 20, parts: { runs: 2 } }
    ])
    assert.deepInclude(board.list(["self"], 10 * minute)[0], { name: "other", isLive: false })
    assert.deepStrictEqual(board.list(["self"], 10 * minute + 21), [])
  })

  it("knows nodes whose heartbeats have no report, or are of an unknown form", () => {
    const board = ReportBoard.make("self", 1)
    board.heard("old", JSON.stringify({ name: "old", startedAt: 7 }), 10)
    board.heard("odd", "[", 10)
    assert.deepStrictEqual(
      board.list(["old", "odd"], 11).map(({ name, parts, startedAt }) => [name, startedAt, parts]),
      [
        ["odd", null, {}],
        ["old", 7, {}]
      ]
    )
  })

  it("returns each signal once, and repeats it for half a minute", () => {
    const board = ReportBoard.make("self", 1)
    const other = ReportBoard.make("other", 2)
    other.signal("a", "reset gpu", 0)
    assert.deepStrictEqual(board.heard("other", other.compose({}, 0), 0), ["reset gpu"])
    assert.deepStrictEqual(board.heard("other", other.compose({}, 2_000), 2_000), [])
    const late = ReportBoard.make("late", 3)
    assert.deepStrictEqual(late.heard("other", other.compose({}, 29_999), 29_999), ["reset gpu"])
    assert.deepStrictEqual(late.heard("other", other.compose({}, 30_000), 30_000), [])
    other.signal("b", "reset gpu", 40_000)
    assert.deepStrictEqual(board.heard("other", other.compose({}, 40_000), 40_000), ["reset gpu"])
  })

  it("leaves out a report that is too long for a heartbeat", () => {
    const long = "x".repeat(ReportBoard.longestHeartbeat)
    const board = ReportBoard.make("self", 1)
    board.heard("self", board.compose({ long }, 0), 0)
    assert.deepStrictEqual(board.list(["self"], 0)[0]?.parts, {})
    assert.deepStrictEqual(fitting(["abc", "abc", long, "abc"], 100), ["abc", "abc"])
  })
})
