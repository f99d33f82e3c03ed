/** The filters of the list, in the URL. */
import { assert, describe, it } from "@effect/vitest"
import * as Call from "#console/views/requests/one/Call.ts"
import * as Filter from "#console/views/requests/list/Filter.ts"

describe("The filter of a URL", () => {
  it("has the parameters of the API", () => {
    const search = {
      status: "FAILED",
      modelEndpoint: "sandbox/echo",
      createdAfter: "2026-01-05T12:00:00Z",
      "metadata.order": 4711
    }
    assert.deepStrictEqual(Filter.parse(search), { ...search, status: "FAILED", "metadata.order": "4711" })
  })

  it("leaves out what no list has", () => {
    assert.deepStrictEqual(
      Filter.parse({
        status: "DONE",
        createdBefore: "yesterday",
        "metadata.": "x",
        other: 1,
        modelEndpoint: ""
      }),
      {}
    )
  })

  it("has at most as many pairs of metadata as the API takes", () => {
    const many = Object.fromEntries(["a", "b", "c", "d", "e"].map((key) => [`metadata.${key}`, "x"]))
    assert.lengthOf(Filter.metadataOf(Filter.parse(many)), 4)
  })

  it("reads a pair as people write it", () => {
    assert.deepStrictEqual(Filter.pairOf(" order = 47=11 "), ["order", "47=11"])
    assert.deepStrictEqual(Filter.pairOf("team="), ["team", ""])
    assert.isNull(Filter.pairOf("=x"))
    assert.isNull(Filter.pairOf("order"))
  })

  it("gives local times back as they were entered", () => {
    const local = "2026-03-01T09:30"
    assert.strictEqual(Filter.localOf(Filter.timeOfLocal(local)), local)
    assert.isUndefined(Filter.timeOfLocal(""))
  })
})

describe("The call as curl", () => {
  const request = { modelEndpoint: "sandbox/echo", input: { value: "it's" }, metadata: {} }

  it("is quoted for a shell, and has no key", () => {
    assert.strictEqual(
      Call.curl("https://queue.example", request),
      [
        `curl -X POST 'https://queue.example/sandbox/echo'`,
        `-H "Authorization: Key $INFERLOG_API_KEY"`,
        `-H 'Content-Type: application/json'`,
        `-d '{"value":"it'\\''s"}'`
      ].join(" \\\n  ")
    )
  })

  it("has the metadata as a header of ASCII", () => {
    const text = Call.curl("https://queue.example", { ...request, metadata: { name: "Zoë" } })
    assert.include(text, `-H 'X-Request-Metadata: {"name":"Zo\\u00eb"}'`)
  })
})
