import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { RequestId } from "#domain/Ids.ts"
import { parseFilter } from "#src/edges/api/files/ListFiles.ts"
import type { Parsed } from "#src/edges/http/requests/Parsed.ts"

const issuesOf = (parsed: Parsed<unknown>) =>
  Result.isFailure(parsed) ? parsed.failure.map(({ code, path }) => [path.join("."), code]) : []

const requestId = RequestId.make("rq0000000000000000000")

describe("a filter of files", () => {
  it.each([
    [{}, {}],
    [{ source: "upload" }, { source: "upload" as const }],
    [
      { source: "output", requestId },
      { source: "output" as const, requestId }
    ],
    [{ contentType: "image/*" }, { contentType: "image/*" }],
    [{ contentType: "Image/SVG+XML" }, { contentType: "image/svg+xml" }],
    [{ contentType: "text/plain; charset=utf-8" }, { contentType: "text/plain" }],
    [{ contentType: 'Text/Plain\t;x="; y"' }, { contentType: "text/plain" }],
    [{ contentType: "image/*;q=1" }, { contentType: "image/*" }]
  ])("reads only the given parameters: %j", (query, filter) => {
    const none = { source: undefined, contentType: undefined, requestId: undefined }
    assert.deepStrictEqual(parseFilter(query), Result.succeed({ ...none, ...filter }))
  })

  it.each(["", "image", "image/", "*/*", "*/png", "image/p*", "; a=b", "image/png a=b", "image/png ", "%"])(
    "by content type %j is rejected",
    (contentType) => {
      assert.deepStrictEqual(issuesOf(parseFilter({ contentType })), [["contentType", "pattern"]])
    }
  )

  it("reports every error", () => {
    const query = { source: "Upload", contentType: "x", requestId: "short" }
    assert.deepStrictEqual(issuesOf(parseFilter(query)), [
      ["source", "enum"],
      ["contentType", "pattern"],
      ["requestId", "pattern"]
    ])
  })
})
