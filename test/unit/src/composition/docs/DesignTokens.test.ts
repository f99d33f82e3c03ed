import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as DesignTokens from "#src/composition/docs/DesignTokens.ts"
import * as Tokens from "#src/edges/http/pages/Tokens.ts"

const read = (file: string) => fs.readFileSync(new URL(`../../../../../${file}`, import.meta.url), "utf8")

describe("The tokens of the design system", () => {
  it("are the same in the console and in the server's pages (npm run docs)", () => {
    assert.strictEqual(read(DesignTokens.file), DesignTokens.text(read(DesignTokens.source)))
  })

  it("have a value for each scheme", () => {
    const css = ":root { --a: light-dark(rgb(1 2 3 / 0.5), #000); --b: 1rem; }"
    const tokens = {
      light: [
        ["a", "rgb(1 2 3 / 0.5)"],
        ["b", "1rem"]
      ],
      dark: [["a", "#000"]]
    }
    assert.deepStrictEqual<unknown>(DesignTokens.tokensOf(css), tokens)
  })

  it("are declared where they are used, and an unknown name is an error", () => {
    const sheet = Tokens.sheet("p { color: var(--text) }")
    assert.match(sheet, /--text: #/)
    assert.notInclude(sheet, "--page")
    assert.throws(() => Tokens.sheet("p { color: var(--txt) }"), "txt")
  })
})
