import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as JsonDocuments from "#src/features/manifests/JsonDocuments.ts"

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const fault = (text: string): string => {
  const [found] = JsonDocuments.parse(text).errors
  return found === undefined ? "none" : `${found.place.line}:${found.place.column} ${found.message}`
}

describe("JsonText", () => {
  it("accepts what JSON.parse accepts, with the same value, and nothing else", () => {
    const json = fc.json({ maxDepth: 4 })
    const broken = fc
      .tuple(json, fc.nat(), fc.constantFrom("", ...'{}[]",:\\ 1-.eEtn\n\u0001'))
      .map(([text, at, put]) => {
        const place = at % (text.length + 1)
        return text.slice(0, place) + put + text.slice(place + 1)
      })
    fc.assert(
      fc.property(fc.oneof(json, broken), (text) => {
        const { documents, errors } = JsonDocuments.parse(text)
        if (errors.some(({ message }) => message === "Map keys must be unique")) return
        const expected = parsed(text)
        // `1e999` is not a JSON number, although JSON.parse accepts it.
        if (errors.some(({ message }) => message === "Expected a number that JSON has")) return
        assert.deepStrictEqual(documents[0]?.value, expected)
        assert.lengthOf(errors, expected === undefined ? 1 : 0)
      }),
      { numRuns: 1_000 }
    )
  })

  it("reports errors with their positions", () => {
    assert.deepStrictEqual(
      [
        '{\n  "a": [1, 2}',
        '{"a": 1,}',
        '{"a": nope}',
        '{"a" 1}',
        '{"a": "x',
        '{"a": "\\z"}',
        '{"a": 1}\n{"a": 2}',
        '{"a": 1,\n "a": 2}',
        '{"a": 1e999}',
        ""
      ].map(fault),
      [
        "2:13 Expected JSON: , or ]",
        '1:9 Expected JSON: a text in "…"',
        "1:7 Expected JSON",
        "1:6 Expected JSON: :",
        "1:9 Unexpected end of the JSON",
        "1:7 Expected JSON",
        "2:1 Expected one JSON value: several in one file are for .yaml, with --- between them",
        "2:2 Map keys must be unique",
        "1:7 Expected a number that JSON has",
        "1:1 Unexpected end of the JSON"
      ]
    )
  })

  it("knows the positions of fields", () => {
    const [document] = JsonDocuments.parse('{\n  "a": [1,\n {"__proto__": 2}]\n}').documents
    assert.deepStrictEqual(document?.placeOf(["a", 0]), { line: 2, column: 9 })
    assert.deepStrictEqual(document?.placeOf(["a", 1, "__proto__", "x"]), { line: 3, column: 3 })
    assert.deepStrictEqual(document?.placeOf(["b"]), { line: 1, column: 1 })
  })
})
