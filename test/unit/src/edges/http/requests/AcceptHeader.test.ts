import { assert, describe, it } from "@effect/vitest"
import { preferred } from "#src/edges/http/requests/AcceptHeader.ts"

const of = (header: string | undefined) => preferred(header, ["application/json", "text/csv"])

describe("Of two types, the client receives", () => {
  it.each([
    "text/csv",
    "TEXT/CSV; charset=utf-8",
    "text/*",
    "text/csv;q=0.1",
    "text/csv, */*",
    "application/json;q=0.4, text/csv;q=0.5",
    "application/*;q=0.9, text/csv",
    "*/*;q=0.8, text/csv;q=0.8",
    "application/json;q=0, */*"
  ])("the second for %s", (header) => {
    assert.strictEqual(of(header), "text/csv")
  })

  it.each([
    undefined,
    "",
    "*/*",
    "application/json",
    "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "text/csv, application/json",
    "text/csv;q=0.5, application/json",
    "text/csv;q=0",
    "text/csv;q=0, */*;q=0.1",
    "text/*;q=0.9, */*",
    "image/png",
    ",;q=1,text"
  ])("the first for %s", (header) => {
    assert.strictEqual(of(header), "application/json")
  })
})
