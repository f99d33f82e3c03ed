import { assert, describe, it } from "@effect/vitest"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import * as InputFields from "#src/features/catalog/models/InputFields.ts"

const only = (property: JsonObject, root: JsonObject = {}) => {
  const [field] = InputFields.of({ ...root, type: "object", properties: { it: property } })
  assert.isDefined(field)
  const { name, required, ...rest } = field
  assert.deepStrictEqual([name, required], ["it", false])
  return rest
}

describe("The fields of an input", () => {
  it("are those of the schema, the required ones first", () => {
    const schema = {
      type: "object",
      required: ["prompt", "elsewhere"],
      properties: {
        seed: { type: "integer", default: 7 },
        prompt: { type: "string", description: "What to\n  paint." },
        raw: true
      }
    }
    assert.deepStrictEqual(InputFields.of(schema), [
      { name: "prompt", type: "string", required: true, description: "What to paint." },
      { name: "seed", type: "integer", required: false, default: 7 },
      { name: "raw", type: "any", required: false }
    ])
  })

  it("describe ranges and lengths in words", () => {
    assert.deepStrictEqual(only({ type: "integer", minimum: 1, maximum: 4 }), {
      type: "integer",
      limits: "1 to 4"
    })
    const limits = (property: JsonObject) => only(property).limits
    assert.strictEqual(limits({ type: "integer", minimum: 0 }), "at least 0")
    assert.strictEqual(limits({ type: "number", maximum: 2.5 }), "at most 2.5")
    assert.strictEqual(limits({ type: "number", exclusiveMinimum: 0, maximum: 1 }), "at most 1, more than 0")
    assert.strictEqual(limits({ type: "integer", multipleOf: 8 }), "a multiple of 8")
    assert.strictEqual(limits({ type: "string", minLength: 1, maxLength: 9 }), "1 to 9 characters")
    assert.strictEqual(limits({ type: "string", minLength: 3, maxLength: 3 }), "exactly 3 characters")
    assert.strictEqual(limits({ type: "string", pattern: "^#[0-9a-f]{6}$" }), "matching ^#[0-9a-f]{6}$")
    assert.isUndefined(limits({ type: "string", pattern: "x".repeat(100) }))
    assert.strictEqual(limits({ type: "array", maxItems: 4 }), "at most 4 items")
    assert.isUndefined(limits({ type: "array", minItems: 0 }))
  })

  it("describe types in words, with the contents of lists and objects", () => {
    const type = (property: JsonObject) => only(property).type
    assert.strictEqual(type({}), "any")
    assert.strictEqual(type({ type: ["string", "null"] }), "string or null")
    assert.strictEqual(type({ type: "string", format: "uri" }), "string (uri)")
    assert.strictEqual(type({ type: "array" }), "array")
    assert.strictEqual(type({ type: "array", items: { type: "string" } }), "array of string")
    const either = { anyOf: [{ type: "string" }, { type: "integer" }, { type: "string" }] }
    assert.strictEqual(type(either), "string or integer")
    assert.strictEqual(type({ type: "array", items: either }), "array of (string or integer)")
    assert.strictEqual(type({ type: "object", properties: { x: {}, y: {} } }), "object { x, y }")
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`p${index}`, {}]))
    assert.match(type({ type: "object", properties: many }), /^object \{ p0, .*p11, … \}$/)
  })

  it("show the allowed values, up to a limit", () => {
    assert.deepStrictEqual(only({ enum: ["a", 1, null] }), {
      type: "string or number or null",
      allowed: ["a", 1, null]
    })
    assert.deepStrictEqual(only({ const: "flux" }), { type: "string", allowed: ["flux"] })
    const many = only({ enum: Array.from({ length: 50 }, (_, index) => `v${index}`) })
    assert.strictEqual(many.allowed?.length, 40)
    assert.strictEqual(many.limits, "50 values are allowed, the first 40 are listed")
  })

  it("include their references' descriptions, after their own", () => {
    const $defs = { side: { type: "integer", maximum: 9, description: "A side." } }
    assert.deepStrictEqual(only({ $ref: "#/$defs/side", description: "The width." }, { $defs }), {
      type: "integer",
      limits: "at most 9",
      description: "The width."
    })
    assert.deepStrictEqual(only({ $ref: "#/$defs/none" }, { $defs }), { type: "any" })
  })

  it("include all parts of a combined schema", () => {
    const schema = {
      type: "object",
      $defs: { sized: { properties: { width: { type: "integer" } }, required: ["width"] } },
      allOf: [{ $ref: "#/$defs/sized" }, { properties: { fast: { type: "boolean" } } }],
      properties: { prompt: { type: "string" } },
      required: ["prompt"]
    }
    assert.deepStrictEqual(
      InputFields.of(schema).map(({ name, required }) => [name, required]),
      [
        ["width", true],
        ["prompt", true],
        ["fast", false]
      ]
    )
  })

  it("of a recursive schema are finite", () => {
    const tree = { anyOf: [{ type: "array", items: { $ref: "#/$defs/tree" } }, { $ref: "#/$defs/tree" }] }
    assert.match(only({ $ref: "#/$defs/tree" }, { $defs: { tree } }).type, /^array of /)
    const loop = { $ref: "#/$defs/loop" }
    assert.deepStrictEqual(only(loop, { $defs: { loop } }), { type: "any" })
    const fork = { allOf: [{ $ref: "#/$defs/fork" }, { $ref: "#/$defs/fork" }, { type: "null" }] }
    assert.deepStrictEqual(only({ $ref: "#/$defs/fork" }, { $defs: { fork } }), { type: "null" })
  })

  it("are empty for a schema without properties", () => {
    assert.deepStrictEqual(InputFields.of({}), [])
    assert.deepStrictEqual(InputFields.of({ type: "object", properties: [] }), [])
  })

  it("omit a default that is longer than a line or two", () => {
    assert.deepStrictEqual(only({ type: "string", default: "x".repeat(400) }), { type: "string" })
  })
})
