import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as WebhookFields from "#src/edges/api/requests/WebhookFields.ts"

const issuesOf = (filter: ReadonlyArray<string>) => {
  const parsed = WebhookFields.parse({ webhook: "https://example.com/", webhook_events_filter: filter })
  return Result.isFailure(parsed) ? parsed.failure : []
}

describe("webhook_events_filter", () => {
  it("reports each invalid item of a few", () => {
    const codes = issuesOf(["completed", "nothing", "nothing"]).map(({ code }) => code)
    assert.deepStrictEqual(codes, ["enum", "enum", "uniqueItems"])
  })

  it("with too many items is rejected by its length, without reading them", () => {
    const filter = new Proxy(["completed"], {
      get: (items, name) => {
        if (name === "length") return 5_000_000
        throw new Error(`${String(name)} was looked at`, { cause: items })
      }
    })
    const issues = issuesOf(filter)
    assert.deepStrictEqual(
      issues.map(({ code }) => code),
      ["maxItems"]
    )
  })
})
