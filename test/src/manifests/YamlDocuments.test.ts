import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as YamlDocuments from "#src/manifests/YamlDocuments.ts"

describe("YamlDocuments", () => {
  it("reads JSON as what it is", () => {
    const json = fc.jsonValue({ maxDepth: 4 }).filter((value) => value !== null)
    fc.assert(
      fc.property(json, fc.constantFrom(undefined, 2, "\t"), (value, indent) => {
        const { documents, faults } = YamlDocuments.parse(JSON.stringify(value, null, indent))
        assert.deepStrictEqual(faults, [])
        // Zero has no sign in JSON.
        assert.deepStrictEqual(
          documents.map((document) => document.value),
          [JSON.parse(JSON.stringify(value))]
        )
      }),
      { numRuns: 200 }
    )
  })

  it("never throws, whatever the text", () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 200, unit: fc.constantFrom(..."a: -[]{}&*!|>#'\"\n\t%@`,?") }),
        (text) => {
          const { documents, faults } = YamlDocuments.parse(text)
          for (const { place } of faults) assert.isAtLeast(Math.min(place.line, place.column), 1)
          assert.isAtLeast(documents.length, 0)
        }
      ),
      { numRuns: 500 }
    )
  })

  it("knows where fields stand, through lists, aliases and several documents", () => {
    const text = "a: &x\n  - b: 1\n    c: 2\n---\nd:\n  e: *y\n".replace("*y", "[1]")
    const [first, second] = YamlDocuments.parse(text).documents
    assert.deepStrictEqual(first?.placeOf(["a", 0, "c"]), { line: 3, column: 5 })
    assert.deepStrictEqual(first?.placeOf(["a", 7]), { line: 1, column: 1 })
    assert.deepStrictEqual(second?.placeOf(["d", "e"]), { line: 6, column: 3 })
    const [aliased] = YamlDocuments.parse("a: &x { b: 1 }\nc: *x").documents
    assert.deepStrictEqual(aliased?.placeOf(["c", "b"]), { line: 1, column: 9 })
  })

  it("keeps names that objects have of themselves", () => {
    const [document] = YamlDocuments.parse("__proto__: { x: 1 }\nconstructor: 2").documents
    assert.strictEqual(JSON.stringify(document?.value), '{"__proto__":{"x":1},"constructor":2}')
    assert.notProperty({}, "x")
  })
})
