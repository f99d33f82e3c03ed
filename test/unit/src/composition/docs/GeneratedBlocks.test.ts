import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { blocks, written } from "#src/composition/docs/GeneratedBlocks.ts"

describe("The documents", () => {
  it.each(blocks)("$file contains its $name as the code defines it (npm run docs)", (block) => {
    const page = fs.readFileSync(new URL(`../../../../../${block.file}`, import.meta.url), "utf8")
    assert.strictEqual(page, Option.getOrUndefined(written(page, block)))
  })

  it("keep the text around a block", () => {
    const block = { file: "x.md", name: "a", text: "| new |" }
    const page = "before\n<!-- a -->\nold\n<!-- /a -->\nafter\n"
    const expected = "before\n<!-- a -->\n\n| new |\n\n<!-- /a -->\nafter\n"
    assert.deepStrictEqual(written(page, block), Option.some(expected))
    assert.deepStrictEqual(written(expected, block), Option.some(expected))
  })

  it("require a marker for each block", () => {
    assert.isTrue(Option.isNone(written("<!-- /a --> <!-- a -->", { file: "x.md", name: "a", text: "" })))
  })
})
