import { assert, describe, it } from "@effect/vitest"
import type { CatalogModel } from "#src/edges/codegen/ModelTypes.ts"
import * as PythonModels from "#src/edges/codegen/PythonModels.ts"
import * as TypeScriptModels from "#src/edges/codegen/TypeScriptModels.ts"
import { hostile } from "#test/support/src/edges/codegen/RandomSchemas.ts"

const modelOf = (modelEndpoint: string, input: unknown, more: Partial<CatalogModel> = {}): CatalogModel => ({
  modelEndpoint,
  description: "Does it.",
  isDeprecated: false,
  stream: null,
  input,
  output: { type: "string" },
  ...more
})

const source = (...models: ReadonlyArray<CatalogModel>) => ({
  url: "http://127.0.0.1",
  version: "1.0.0",
  models
})
const ts = (...models: ReadonlyArray<CatalogModel>) => TypeScriptModels.text(source(...models))
const py = (...models: ReadonlyArray<CatalogModel>) => PythonModels.text(source(...models))

/** The definitions of the input, without the rest. */
const input = (schema: unknown): string => {
  const [, after = ""] = ts(modelOf("acme/flux", schema)).split("output: AcmeFluxOutput }\n}\n\n")
  const [definitions = ""] = after.split("\n\nexport type AcmeFluxOutput")
  return definitions
}

const object = (properties: unknown, more: object = {}) => ({ type: "object", properties, ...more })

describe("The code of models", () => {
  it("has fields, enumerations, defaults and bounds", () => {
    const schema = object(
      {
        prompt: { type: "string", description: "What to draw.", minLength: 1, maxLength: 200 },
        size: { title: "Size", enum: ["s", "m", null], default: "s" },
        steps: { type: "integer", minimum: 1, title: "Steps", description: "How often." }
      },
      { required: ["prompt"] }
    )
    assert.strictEqual(
      input(schema),
      `export interface AcmeFluxInput {
  /** What to draw. 1 to 200 characters. */
  readonly prompt: string
  /**
   * Size
   *
   * Default: "s".
   */
  readonly size?: "s" | "m" | null | undefined
  /** How often. At least 1. */
  readonly steps?: number | undefined
}`
    )
  })

  it("takes files where a text is the address of one", () => {
    const file = { type: "string", format: "uri" }
    const schema = object({
      mask_url: { type: "string" },
      images: { type: "array", items: file },
      voice: { type: "string", maxLength: 20 },
      note: { type: "string", contentMediaType: "text/markdown" }
    })
    assert.strictEqual(
      input(schema),
      `export interface AcmeFluxInput {
  readonly mask_url?: string | Blob | undefined
  readonly images?: ReadonlyArray<string | Blob> | undefined
  /** At most 20 characters. */
  readonly voice?: string | undefined
  readonly note?: string | undefined
}`
    )
    assert.include(py(modelOf("acme/flux", schema)), "images: NotRequired[Sequence[FileInput]]")
    assert.include(ts(modelOf("acme/flux", {}, { output: object({ image: file }) })), "  image?: string\n")
  })

  it("gives definitions that refer to each other, and to themselves, names", () => {
    const schema = {
      $defs: {
        node: object({ next: { $ref: "#/$defs/node" }, whole: { $ref: "#" } }),
        loop: { anyOf: [{ $ref: "#/$defs/loop" }] },
        by: { $anchor: "named", type: "integer" }
      },
      ...object({
        node: { $ref: "#/$defs/node" },
        loop: { $ref: "#/$defs/loop" },
        by: { $ref: "#named" },
        lost: { $ref: "https://elsewhere.example/schema" }
      })
    }
    assert.strictEqual(
      input(schema),
      `export interface AcmeFluxInput {
  readonly node?: AcmeFluxInputNode | undefined
  readonly loop?: AcmeFluxInputLoop | undefined
  readonly by?: AcmeFluxInputNamed | undefined
  readonly lost?: unknown
}

export interface AcmeFluxInputNode {
  readonly next?: AcmeFluxInputNode | undefined
  readonly whole?: AcmeFluxInput | undefined
}

export type AcmeFluxInputLoop = unknown

export type AcmeFluxInputNamed = number`
    )
  })

  it("combines what allOf, anyOf and the schema beside them say", () => {
    const schema = object(
      { a: { type: "string" } },
      {
        allOf: [{ properties: { b: { type: "number" } }, required: ["b"] }, { type: "object" }],
        anyOf: [{ required: ["a"] }, { properties: { c: { const: 1 } }, required: ["c"] }]
      }
    )
    assert.strictEqual(
      input(schema),
      `export type AcmeFluxInput = AcmeFluxInputOption | AcmeFluxInputOption2

export interface AcmeFluxInputOption {
  readonly a: string
  readonly b: number
}

export interface AcmeFluxInputOption2 {
  readonly a?: string | undefined
  readonly c: 1
  readonly b: number
}`
    )
  })

  it("takes the values of a text whose name is that of a file", () => {
    const schema = object({ voice: { type: "string", oneOf: [{ const: "alto" }, { const: "bass" }] } })
    assert.include(input(schema), 'readonly voice?: "alto" | "bass" | undefined')
  })

  it("gives each class of Python a name of its own", () => {
    const fields = object({ a: { type: "string" } })
    const text = py(modelOf("acme/flux", object({ fields }, { additionalProperties: true })))
    assert.deepStrictEqual(text.match(/^class \w+/gm), ["class _AcmeFluxInput", "class AcmeFluxInputFields"])
  })

  it("has no floating-point numbers among the literals of Python", () => {
    const numbers = Array.from({ length: 40 }, (_, index) => index / 2)
    const text = py(modelOf("acme/flux", {}, { output: { enum: numbers } }))
    assert.match(text, /^AcmeFluxOutput: TypeAlias = "Literal\[0, 1, .+, 19\] \| float"$/m)
  })

  it("keeps apart models whose names become equal, in any order", () => {
    const models = ["a/b-c", "a/b.c", "a-b/c"].map((name) => modelOf(name, object({ x: { type: "string" } })))
    const text = ts(...models)
    assert.strictEqual(text, ts(...models.toReversed()))
    for (const [name, type, call] of [
      ["a-b/c", "ABC", "aBC"],
      ["a/b-c", "ABC2", "aBC2"],
      ["a/b.c", "ABC3", "aBC3"]
    ]) {
      assert.include(text, `"${name}": { input: ${type}Input; output: ${type}Output }`)
      assert.include(text, `export const ${call} = (`)
    }
    assert.deepStrictEqual(py(...models).match(/^def \w+/gm), ["def a_b_c", "def a_b_c2", "def a_b_c3"])
  })

  it("types the chunks of a model by how they add up", () => {
    const list = { type: "array", items: { type: "integer" } }
    const chunk = (stream: string, output: unknown) =>
      /chunk: ([^}]+) \}/.exec(ts(modelOf("a/b", {}, { stream, output })))?.[1]
    assert.deepStrictEqual(
      [chunk("text", { type: "string" }), chunk("items", list), chunk("last", list), chunk("openai", {})],
      ["string", "number", "ABOutput", "unknown"]
    )
  })

  it("lets no text of the catalog out of comments and literals", () => {
    for (const text of hostile) {
      const model = modelOf("a/b", object({ [text]: { enum: [text], description: text, default: text } }), {
        description: text
      })
      const comments = ts(model).match(/\/\*[\s\S]*?\*\//g) ?? []
      const code = ts(model)
        .replaceAll(/\/\*[\s\S]*?\*\//g, "")
        .replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')
      assert.isAbove(comments.length, 2)
      assert.notMatch(code, /broken|process|abort|@ts|ignore/, text)
      const lines = `${ts(model)}${py(model)}`.replaceAll("\n", "")
      assert.notMatch(lines, /[\p{Cc}\u202e\u2028\u2029]/u, text)
      const literals = /"""(?:\\[\s\S]|(?!""")[\s\S])*"""|"(?:[^"\\\n]|\\.)*"|#.*/g
      assert.notMatch(py(model).replaceAll(literals, '""'), /abort|broken|process/, text)
      // In the text of a literal it has no effect.
      assert.notMatch(py(model).replaceAll(/"""[\s\S]*?"""/g, ""), /^\s*#.*type:/m, text)
    }
  })
})
