import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { Model } from "#domain/catalog/Model.ts"
import * as JsonSchemaValidator from "#src/features/catalog/models/JsonSchemaValidator.ts"

type JsonSchema = Model["inputSchema"]

const validator = (schema: JsonSchema) => Result.getOrThrow(JsonSchemaValidator.make(schema))
const issues = (schema: JsonSchema, value: Json) => validator(schema).issues(value)

const secret = "s3cr3t-value"

const schema: JsonSchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    prompt: { type: "string", minLength: 1 },
    fit: { enum: ["cover", "contain"] },
    kind: { const: "a" },
    seed: { type: "integer", maximum: 10 },
    url: { type: "string", format: "uri" },
    sizes: { type: "array", items: { type: "object", properties: { width: { type: "number" } } } },
    names: { type: "object", additionalProperties: { type: "string" } },
    "a/b~c": { type: "string" }
  },
  required: ["prompt"]
}

describe("JsonSchemaValidator", () => {
  it("finds nothing in a valid value", () => {
    assert.deepStrictEqual(issues(schema, { prompt: "x", fit: "cover", sizes: [{ width: 1 }] }), [])
    assert.deepStrictEqual(validator(schema).violations({ prompt: "x" }), [])
  })

  it("reports every violation at once, with path, message and keyword", () => {
    const found = issues(schema, {
      fit: secret,
      kind: secret,
      seed: 11,
      url: "no uri",
      sizes: [{}, { width: "1" }]
    })
    assert.deepStrictEqual(
      found.toSorted((a, b) => a.path.join("/").localeCompare(b.path.join("/"))),
      [
        {
          path: ["fit"],
          message: 'must be equal to one of the allowed values: "cover", "contain"',
          code: "enum"
        },
        { path: ["kind"], message: "must be equal to constant", code: "const" },
        { path: ["prompt"], message: "must have required property 'prompt'", code: "required" },
        { path: ["seed"], message: "must be <= 10", code: "maximum" },
        { path: ["sizes", 1, "width"], message: "must be number", code: "type" },
        { path: ["url"], message: 'must match format "uri"', code: "format" }
      ]
    )
  })

  it("distinguishes an index from a property whose name is a number", () => {
    assert.deepStrictEqual(
      issues(schema, { prompt: "x", names: { "0": 1 } }).map((issue) => issue.path),
      [["names", "0"]]
    )
  })

  it("unescapes property names", () => {
    assert.deepStrictEqual(
      issues(schema, { prompt: "x", "a/b~c": 1 }).map((issue) => issue.path),
      [["a/b~c"]]
    )
  })

  it("names an unknown property in the path only, truncated", () => {
    const name = "x".repeat(100)
    assert.deepStrictEqual(issues(schema, { prompt: "x", [name]: 1 }), [
      {
        path: ["x".repeat(64)],
        message: "must NOT have additional properties",
        code: "additionalProperties"
      }
    ])
  })

  it("treats an own __proto__ as an unknown property", () => {
    const value: Json = JSON.parse('{ "prompt": "x", "__proto__": { "seed": 1 } }')
    assert.deepStrictEqual(
      issues(schema, value).map((issue) => issue.path),
      [["__proto__"]]
    )
  })

  it("rejects numbers that are not finite", () => {
    const value: Json = JSON.parse("1e999")
    assert.deepStrictEqual(
      issues({ type: "number" }, value).map((issue) => issue.code),
      ["type"]
    )
  })

  it("returns violations as JSON pointers", () => {
    assert.deepStrictEqual(
      validator(schema).violations({ prompt: "x", sizes: [{}, { width: "1" }], "a/b~c": 1 }),
      [
        { instancePath: "/sizes/1/width", message: "must be number" },
        { instancePath: "/a~1b~0c", message: "must be string" }
      ]
    )
  })

  it("never repeats a value", () => {
    const strict: JsonSchema = {
      type: "object",
      properties: {
        a: { type: "string", pattern: "^[0-9]+$", maxLength: 3, format: "date" },
        b: { enum: [1, 2] },
        c: { const: null },
        d: { type: "array", uniqueItems: true, items: { type: "string" } },
        e: { anyOf: [{ type: "number" }, { const: true }] },
        f: { not: { type: "string" } }
      },
      dependentRequired: { a: ["z"] },
      propertyNames: { maxLength: 1 }
    }
    const value: Json = {
      a: secret,
      b: secret,
      c: secret,
      d: [secret, secret],
      e: secret,
      f: secret,
      toolong: 1
    }
    const found = issues(strict, value)
    assert.isAtLeast(found.length, 9)
    assert.notInclude(JSON.stringify(found), secret)
    assert.notInclude(JSON.stringify(validator(strict).violations(value)), secret)
    assert.notInclude(JSON.stringify(found.map((issue) => issue.message)), "toolong")
  })

  it("stops at 1,000 violations", () => {
    const numbers: JsonSchema = { type: "array", items: { type: "number" } }
    const value = Array.from({ length: 20_000 }, () => "x")
    assert.strictEqual(issues(numbers, value).length, 1_000)
    assert.strictEqual(validator(numbers).violations(value).length, 1_000)
  })

  it("reports only the first violation of a value too large to collect all", () => {
    const numbers: JsonSchema = { type: "array", items: { type: "array", items: { type: "number" } } }
    const row = Array.from({ length: 1_000 }, () => "x")
    assert.deepStrictEqual(
      issues(
        numbers,
        Array.from({ length: 1_000 }, () => row)
      ).map((issue) => issue.path),
      [[0, 0]]
    )
  })

  it("reports only the first violation of a value with an endless property name", () => {
    const texts: JsonSchema = {
      type: "object",
      additionalProperties: { type: "array", items: { type: "string" } }
    }
    assert.deepStrictEqual(
      issues(texts, { ["x".repeat(5_000_000)]: [1, 2, 3] }).map((issue) => issue.path),
      [["x".repeat(64), 0]]
    )
  })

  it.each<{ readonly name: string; readonly schema: JsonSchema }>([
    { name: "an unknown keyword", schema: { type: "object", "x-order": 1 } },
    { name: "an unknown format", schema: { type: "string", format: "nonsense" } },
    { name: "an unknown type", schema: { type: "text" } },
    { name: "a keyword of another type", schema: { type: "string", minimum: 1 } },
    { name: "an unresolved reference", schema: { $ref: "https://example.com/schema.json" } },
    // Only the metaschema rejects these two; they compile.
    { name: "a negative length", schema: { type: "string", minLength: -1 } },
    { name: "an invalid description", schema: { type: "string", description: 5 } },
    { name: "an invalid pattern", schema: { type: "string", pattern: "(" } },
    { name: "an asynchronous schema", schema: { $async: true, type: "string" } }
  ])("rejects a schema with $name", ({ schema }) => {
    const made = JsonSchemaValidator.make(schema)
    assert.isTrue(Result.isFailure(made) && made.failure instanceof JsonSchemaValidator.InvalidJsonSchema)
  })

  it("compiles two schemas with one $id separately", () => {
    const text = validator({ $id: "https://models.test/input", type: "string" })
    const number = validator({ $id: "https://models.test/input", type: "number" })
    assert.deepStrictEqual([text.issues("x"), number.issues(1)], [[], []])
    assert.strictEqual(text.issues(1).length + number.issues("x").length, 2)
  })
})
