import { assert, describe, it } from "@effect/vitest"
import * as FalStatus from "#src/edges/fal/requests/FalStatus.ts"

describe("new log lines", () => {
  it.each([
    [[], [], []],
    [[], ["a"], ["a"]],
    [["a"], ["a", "b"], ["b"]],
    [["a", "b"], ["a", "b"], []],
    // The oldest were dropped.
    [["a", "b", "c"], ["c", "d"], ["d"]],
    [["a", "a"], ["a", "a", "a"], ["a"]],
    [
      ["a", "b"],
      ["x", "y"],
      ["x", "y"]
    ]
  ])("after %j, of %j, are %j", (before, now, lines) => {
    assert.deepStrictEqual(FalStatus.newLines(before, now), lines)
  })
})
