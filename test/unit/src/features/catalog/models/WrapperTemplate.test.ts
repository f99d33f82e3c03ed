import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import * as WrapperTemplate from "#src/features/catalog/models/WrapperTemplate.ts"

describe("WrapperTemplate.render", () => {
  it.each([
    [
      "a text in a text",
      { prompt: "A {{animal}} at {{ time }}" },
      { animal: "fox", time: "dusk" },
      { prompt: "A fox at dusk" }
    ],
    [
      "a whole value unchanged",
      { n: "{{n}}", list: ["{{l}}"] },
      { n: 3, l: [1, null] },
      { n: 3, list: [[1, null]] }
    ],
    [
      "numbers, booleans and objects as text",
      { t: "{{a}} {{b}} {{c}}" },
      { a: 1.5, b: true, c: { x: [1] } },
      { t: '1.5 true {"x":[1]}' }
    ],
    ["nothing for null within a text", { t: "[{{a}}]" }, { a: null }, { t: "[]" }],
    ["null as a whole value", { t: "{{a}}" }, { a: null }, { t: null }],
    ["no member without a value", { t: "{{a}}", u: 1 }, {}, { u: 1 }],
    ["no element without a value", { t: ["x", "{{a}}"] }, {}, { t: ["x"] }],
    [
      "no text that only resembles a placeholder",
      { t: "{{ }} {a} {{1x}} $1 {{a b}}" },
      { a: 1 },
      { t: "{{ }} {a} {{1x}} $1 {{a b}}" }
    ],
    ["no names of members", { "{{a}}": "{{a}}" }, { a: "x" }, { "{{a}}": "x" }]
  ] as const)("inserts %s", (_name, template, values, expected) => {
    assert.deepStrictEqual(WrapperTemplate.render(template, values), expected)
  })

  it("does not expand placeholders in values, or replacement patterns", () => {
    const values = { a: "{{secret}} $& $1", secret: "hunter2" }
    const template = { whole: "{{a}}", part: "<{{a}}>" }
    const expected = { whole: values.a, part: `<${values.a}>` }
    assert.deepStrictEqual(WrapperTemplate.render(template, values), expected)
  })

  it("reads no inherited property", () => {
    const template = { a: "{{constructor}}", b: "<{{toString}}>", c: "{{__proto__}}" }
    assert.deepStrictEqual(WrapperTemplate.render(template, {}), { b: "<>" })
  })

  it("fails for texts beyond its limit", () => {
    const half = "x".repeat(WrapperTemplate.longestRendered / 2 + 1)
    assert.isNull(WrapperTemplate.render({ t: "{{a}} {{a}}" }, { a: half }))
    assert.isNull(WrapperTemplate.render({ t: "{{a}}", u: "{{a}}" }, { a: half }))
    assert.isNull(WrapperTemplate.render({ t: "{{a}}", u: ["{{a}}"] }, { a: [half] }))
    assert.isNotNull(WrapperTemplate.render({ t: "{{a}}" }, { a: half }))
  })

  it("preserves every other part of the template", () => {
    const seed = Date.now() | 0
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.jsonValue(), (before, after, value) => {
        fc.pre(!before.includes("{") && !after.includes("}"))
        const rendered = WrapperTemplate.render(
          { kept: [before, 1, null], text: `${before}|{{v}}|${after}` },
          { v: value } as JsonObject
        ) as { readonly kept: unknown; readonly text: string }
        assert.deepStrictEqual(Object.keys(rendered), ["kept", "text"])
        assert.deepStrictEqual(rendered.kept, [before, 1, null])
        assert.isTrue(rendered.text.startsWith(`${before}|`) && rendered.text.endsWith(`|${after}`))
      }),
      { seed, numRuns: 200 }
    )
  })
})

describe("WrapperTemplate.placeholders", () => {
  it("finds each name once, at any depth", () => {
    const found = WrapperTemplate.placeholders({ a: "{{x}} {{y}}", b: [{ c: "{{x}}" }], "{{z}}": 1 })
    assert.deepStrictEqual([...found], ["x", "y"])
  })
})
