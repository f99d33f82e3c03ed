import { assert, describe, it } from "@effect/vitest"
import * as Output from "#src/cli/Output.ts"

describe("Output.table", () => {
  it("aligns columns by their width on a terminal", () => {
    const text = Output.table(
      ["NAME", "ID"],
      [
        ["日本", "1"],
        ["acme inc", "22"],
        ["", "3"]
      ]
    )
    assert.strictEqual(text, "NAME      ID\n日本      1\nacme inc  22\n          3")
  })

  it("escapes control sequences in stored text", () => {
    assert.strictEqual(
      Output.table(["NAME"], [["a\u001b[2Jb\rc\nd"]]),
      "NAME\na\u{fffd}[2Jb\u{fffd}c\u{fffd}d"
    )
  })
})
