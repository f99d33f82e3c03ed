import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { Parsed } from "#src/edges/http/requests/Parsed.ts"
import * as Wait from "#src/edges/api/requests/Wait.ts"

const issuesOf = (parsed: Parsed<unknown>) => (Result.isFailure(parsed) ? parsed.failure : [])

describe("a wait", () => {
  it.each(["1", "07", "59", "60"])("of %s s means the same in the header and in the query", (seconds) => {
    const waits = Result.succeed(Number(seconds) * 1000)
    assert.deepStrictEqual(Wait.preferred(`wait=${seconds}`), waits)
    assert.deepStrictEqual(Wait.queried(seconds, 1), waits)
  })

  it("of zero seconds is accepted for a status, and not for submit", () => {
    assert.deepStrictEqual(Wait.queried("0", 0), Result.succeed(0))
    const message = "wait must be whole seconds from 1 to 60"
    assert.deepStrictEqual(issuesOf(Wait.queried("0", 1)), [{ path: ["wait"], code: "range", message }])
    assert.deepStrictEqual(issuesOf(Wait.preferred("wait=0")), [{ path: ["Prefer"], code: "range", message }])
  })

  it.each(["", "61", "100", "-1", "1.5", "1e1", "0x1", "٣", "1s"])(
    "of %j is rejected in the same words",
    (text) => {
      assert.deepStrictEqual(issuesOf(Wait.queried(text, 1)), [
        { path: ["wait"], code: "range", message: "wait must be whole seconds from 1 to 60" }
      ])
      assert.deepStrictEqual(issuesOf(Wait.preferred(`wait=${text}`)), [
        { path: ["Prefer"], code: "range", message: "wait must be whole seconds from 1 to 60" }
      ])
    }
  )
})
