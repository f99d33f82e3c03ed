import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as JsonText from "#domain/JsonText.ts"
import * as YamlDocuments from "#src/features/manifests/YamlDocuments.ts"

/** CPU time of this thread, because others may be busy. */
const millisSince = (started: NodeJS.CpuUsage): number => {
  const { system, user } = process.threadCpuUsage(started)
  return (system + user) / 1_000
}

describe("YamlDocuments", () => {
  it("reads JSON with the same value", () => {
    const json = fc.jsonValue({ maxDepth: 4 }).filter((value) => value !== null)
    fc.assert(
      fc.property(json, fc.constantFrom(undefined, 2, "\t"), (value, indent) => {
        const { documents, errors } = YamlDocuments.parse(JSON.stringify(value, null, indent))
        assert.deepStrictEqual(errors, [])
        // Zero has no sign in JSON.
        assert.deepStrictEqual(
          documents.map((document) => document.value),
          [JSON.parse(JSON.stringify(value))]
        )
      }),
      { numRuns: 200 }
    )
  })

  it("keeps the digits of numbers, in texts that are JSON", () => {
    const [document] = YamlDocuments.parse(
      "b: 18446744073709551615\na: [1.10, -0, 1e2, +1, .5, 0x1F, 0o17]\n10: &x { c: 9007199254740993 }\nd: *x"
    ).documents
    assert.strictEqual(
      JsonText.write(document?.value ?? null),
      '{"b":18446744073709551615,"a":[1.10,-0,1e2,1,0.5,31,15],"10":{"c":9007199254740993},"d":{"c":9007199254740993}}'
    )
  })

  it("never throws, for any text", () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 200, unit: fc.constantFrom(..."a: -[]{}&*!|>#'\"\n\t%@`,?") }),
        (text) => {
          const { documents, errors } = YamlDocuments.parse(text)
          for (const { place } of errors) assert.isAtLeast(Math.min(place.line, place.column), 1)
          assert.isAtLeast(documents.length, 0)
        }
      ),
      { numRuns: 500 }
    )
  })

  it("knows the positions of fields, through lists, aliases and several documents", () => {
    const text = "a: &x\n  - b: 1\n    c: 2\n---\nd:\n  e: *y\n".replace("*y", "[1]")
    const [first, second] = YamlDocuments.parse(text).documents
    assert.deepStrictEqual(first?.placeOf(["a", 0, "c"]), { line: 3, column: 5 })
    assert.deepStrictEqual(first?.placeOf(["a", 7]), { line: 1, column: 1 })
    assert.deepStrictEqual(second?.placeOf(["d", "e"]), { line: 6, column: 3 })
    const [aliased] = YamlDocuments.parse("a: &x { b: 1 }\nc: *x").documents
    assert.deepStrictEqual(aliased?.placeOf(["c", "b"]), { line: 1, column: 9 })
  })

  it("accepts names of inherited properties", () => {
    const [document] = YamlDocuments.parse("__proto__: { x: 1 }\nconstructor: 2").documents
    assert.strictEqual(JSON.stringify(document?.value), '{"__proto__":{"x":1},"constructor":2}')
    assert.notProperty({}, "x")
  })

  const fault = (text: string): string => {
    const { documents, errors } = YamlDocuments.parse(text)
    assert.isAtMost(errors.length, 5)
    assert.isAtMost(documents.length, 1_001)
    const [found] = errors
    return found === undefined ? "none" : `${found.place.line}:${found.place.column} ${found.message}`
  }

  it("finds a duplicate name among very many, without comparing all pairs", () => {
    const keys = Array.from({ length: 15_000 }, (_, index) => `k${index}: 1\n`).join("")
    const started = process.threadCpuUsage()
    assert.strictEqual(fault(`${keys}k7: 2\n`), "15001:1 Map keys must be unique")
    // A comparison of all pairs took more than four seconds; this takes a quarter of one.
    assert.isBelow(millisSince(started), 2_500)
  })

  it("counts aliases with their expansion, however they are nested", () => {
    const repeated = (what: string) => `a: &a ${what}\nb: [${"*a, ".repeat(99)}]`
    assert.include(fault(repeated(`[${"1, ".repeat(3_000)}]`)), "Expected at most 200000 values")
    assert.include(fault(repeated("x".repeat(50_000))), "Expected at most 2097152 characters")
    assert.strictEqual(fault(repeated(`[${"1, ".repeat(1_000)}]`)), "none")
    const doubled = Array.from({ length: 40 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]\n`).join("")
    assert.include(fault(`a0: &a0 [1, 1]\n${doubled}`), "Expected at most 200000 values")
    const deeper = Array.from({ length: 70 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}]\n`).join("")
    assert.include(fault(`a0: &a0 [1]\n${deeper}`), "Expected at most 64 levels")
  })

  it("counts the documents of a file together", () => {
    const document = `- &a [${"1, ".repeat(50)}]\n${"- *a\n".repeat(90)}`
    assert.include(fault(Array(60).fill(document).join("---\n")), "Expected at most 200000 values")
    assert.include(fault("--- 1\n".repeat(2_000)), "Expected at most 1000 documents")
  })

  it("stops at the first errors, and at texts that consist of delimiters", () => {
    const started = process.threadCpuUsage()
    assert.strictEqual(fault(`a: "${"\\z".repeat(500_000)}"`), "1:5 Invalid escape sequence \\z")
    assert.include(fault("]".repeat(500_000)), "Unexpected flow-seq-end")
    assert.include(fault("%\n".repeat(20_000)), "1:1 ")
    assert.include(fault("[".repeat(500_000)), "Expected at most 200000 tokens")
    // Half a million errors took half a minute.
    assert.isBelow(millisSince(started), 4_000)
  })

  it("uses the last definition of a repeated anchor", () => {
    const [document] = YamlDocuments.parse("a: &x [&x 1]\nb: *x\nc: &x 2\nd: *x").documents
    assert.deepStrictEqual(document?.value, { a: [1], b: 1, c: 2, d: 2 })
  })
})
