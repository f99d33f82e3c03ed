/** The sources of the console keep to the design system (docs/design.md). */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"

const root = path.resolve(import.meta.dirname, "../../../console")

interface Source {
  readonly file: string
  readonly text: string
}

const sources: ReadonlyArray<Source> = fs
  .readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.(css|tsx?)$/.test(file))
  .map((file) => ({ file, text: fs.readFileSync(path.join(root, file), "utf8") }))

const sheets = sources
  .filter(({ file }) => file.endsWith(".css"))
  .map(({ file, text }) => ({ file, text: text.replaceAll(/\/\*[\s\S]*?\*\//g, "") }))
const modules = sources.filter(({ file }) => file.endsWith(".tsx"))

const found = (all: ReadonlyArray<Source>, pattern: RegExp): ReadonlyArray<string> =>
  all.flatMap(({ file, text }) => [...text.matchAll(pattern)].map(([match]) => `${file}: ${match.trim()}`))

const names = (all: ReadonlyArray<Source>, pattern: RegExp): ReadonlyArray<string> =>
  all.flatMap(({ text }) => [...text.matchAll(pattern)].map(([, name = ""]) => name))

describe("The console's style sheets", () => {
  const others = sheets.filter(({ file }) => file !== "design/tokens.css")

  it("take colours from tokens", () => {
    const colours =
      /#[0-9a-f]{3,8}\b|\b(rgba?|hsla?|hwb|lab|lch|oklab|oklch|light-dark)\(|:\s*(black|white|red|green|blue|gray|grey)\b/gi
    assert.deepStrictEqual(found(others, colours), [])
  })

  it("have no left and right, which would be wrong from right to left", () => {
    const sides =
      /^\s*((margin|padding|border|inset)-)?(left|right|top|bottom)(-[a-z]+)*\s*:.*$|^\s*(text-align|float|clear): (left|right)/gm
    assert.deepStrictEqual(found(others, sides), [])
  })

  it("keep distances on the grid", () => {
    const distances =
      /^\s*(margin|padding|gap|row-gap|column-gap)[a-z-]*:.*\s(?!0\.[01]\d*rem)\d+(\.\d+)?rem.*$/gm
    assert.deepStrictEqual(found(others, distances), [])
  })

  it("use tokens that exist", () => {
    // `react-aria` sets it on what opens below a button.
    const declared = new Set(["--trigger-width", ...names(sources, /(--[\w-]+)["']?\]?:/g)])
    const used = names(sheets, /var\((--[\w-]+)/g)
    assert.deepStrictEqual(
      used.filter((name) => !declared.has(name)),
      []
    )
  })
})

describe("The console's components", () => {
  it("exist once", () => {
    const exported = names(modules, /^export const ([A-Z]\w+) = /gm)
    assert.deepStrictEqual(
      exported.filter((name, index) => exported.indexOf(name) !== index),
      []
    )
  })

  it("are used instead of bare controls", () => {
    const views = modules.filter(({ file }) => !file.startsWith("design/"))
    assert.deepStrictEqual(
      found(views, /<(button|select|textarea|table|dialog|input(?![^>]*\bhidden\b))\b/g),
      []
    )
  })

  it("set no styles and no markup that the policy forbids", () => {
    assert.deepStrictEqual(found(modules, /<style\b|dangerouslySetInnerHTML|\.innerHTML\b/g), [])
  })
})
