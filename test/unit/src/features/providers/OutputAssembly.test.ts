import { assert, describe, it } from "@effect/vitest"
import type { Json } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import * as OutputAssembly from "#src/features/providers/OutputAssembly.ts"

const cases: ReadonlyArray<readonly [OutputAssembly.PlainKind, ReadonlyArray<Json>, Json, Json]> = [
  ["text", ["a", "", "b"], "ab", ""],
  ["items", [1, null, "b"], [1, null, "b"], []],
  ["last", [1, { a: 1 }], { a: 1 }, null]
]

const unspelled = (value: Json): JsonText.Spelled => ({ value, scalar: null })

describe("OutputAssembly", () => {
  for (const [kind, chunks, output, empty] of cases) {
    it(`adds up chunks of ${kind}`, () => {
      const assembly = OutputAssembly.make(kind)
      assert.deepStrictEqual(assembly.output().value, empty)
      for (const chunk of chunks) assert.isNull(assembly.take(chunk))
      assert.deepStrictEqual([assembly.output().value, assembly.size()], [output, chunks.length])
      assembly.restart()
      assert.deepStrictEqual([assembly.output().value, assembly.size()], [empty, 0])
    })
  }

  it("keeps the texts of chunks", () => {
    const number = "18446744073709551615"
    const items = OutputAssembly.make("items")
    for (const text of ['{"a":1.10}', number, "1.10", '"\\u00e9"']) {
      const { scalar, value } = JsonText.spelled(JsonText.parse(text), text)
      items.take(value, scalar)
    }
    assert.strictEqual(JsonText.write(items.output().value), `[{"a":1.10},${number},1.10,"\\u00e9"]`)
    const last = OutputAssembly.make("last")
    last.take(Number(number), number)
    assert.deepStrictEqual(last.output(), { value: Number(number), scalar: number })
  })

  it("refuses what is no text among texts", () => {
    const assembly = OutputAssembly.make("text")
    assert.strictEqual(assembly.take(1), "not_of_kind")
    assert.strictEqual(assembly.size(), 0)
  })

  it("limits the characters of texts and items, and of each last chunk", () => {
    const half = "x".repeat(16 * 1024 * 1024)
    const text = OutputAssembly.make("text")
    assert.deepStrictEqual(
      [half, half, "x"].map((chunk) => text.take(chunk)),
      [null, null, "too_large"]
    )
    const items = OutputAssembly.make("items")
    assert.deepStrictEqual(
      [[half], [half]].map((chunk) => items.take(chunk)),
      [null, "too_large"]
    )
    const escaped = OutputAssembly.make("items")
    assert.deepStrictEqual(
      [half, `${half}x`].map((text) => escaped.take("x", text)),
      [null, "too_large"]
    )
    const last = OutputAssembly.make("last")
    assert.deepStrictEqual(
      [half, half, `${half}${half}x`].map((chunk) => last.take(chunk)),
      [null, null, "too_large"]
    )
  })

  it.each([
    ["text", "", "ab", ["ab"]],
    ["text", "a", "ab", ["b"]],
    ["text", "ab", "ab", []],
    ["text", "b", "ab", null],
    ["text", "", { a: 1 }, null],
    ["items", [], [1, 2], [1, 2]],
    ["items", [{ a: 1 }], [{ a: 1 }, 2], [2]],
    ["items", [2], [1, 2], null],
    ["items", [], "ab", null],
    ["last", 1, [1, 2], [[1, 2]]]
  ] as const)("finds what is missing of %s after %j in %j: %j", (kind, made, output, rest) =>
    assert.deepStrictEqual(
      OutputAssembly.restOf(kind, made, unspelled(output))?.map(({ value }) => value) ?? null,
      rest === null ? null : [...rest]
    )
  )

  it("joins the parts of a text", () => {
    assert.strictEqual(OutputAssembly.formed("text", ["a", "b"]), "ab")
    assert.deepStrictEqual(OutputAssembly.formed("text", ["a", 1]), ["a", 1])
    assert.deepStrictEqual(OutputAssembly.formed("items", ["a", "b"]), ["a", "b"])
  })
})
