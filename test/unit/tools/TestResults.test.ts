import { assert, describe, it } from "@effect/vitest"
import { type Report, sum } from "#tools/TestResults.ts"

const report = (fields: Partial<Report> = {}): Report => ({
  numPassedTests: 10,
  numFailedTests: 0,
  numPendingTests: 0,
  numTotalTests: 10,
  success: true,
  ...fields
})

describe("Results of several runs", () => {
  it("are summed up in one line", () => {
    assert.deepStrictEqual(sum([report(), report({ numPassedTests: 5, numPendingTests: 2 })]), {
      line: "15 passed, 0 failed, 2 skipped",
      failed: 0
    })
  })

  it("count failed tests of every run", () => {
    assert.deepStrictEqual(sum([report({ numFailedTests: 2, success: false }), report()]), {
      line: "20 passed, 2 failed",
      failed: 2
    })
  })

  it("count a run as failed that failed outside of tests, ran no test, or left no report", () => {
    for (const bad of [report({ success: false }), report({ numTotalTests: 0 }), null]) {
      assert.strictEqual(sum([report(), bad]).failed, 1)
    }
  })
})
