import { assert, describe, it } from "vitest"
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import * as FieldKind from "#console/views/models/form/FieldKind.ts"
import * as FormSchema from "#console/views/models/form/FormSchema.ts"
import * as SchemaRows from "#console/views/models/model/SchemaRows.ts"
import * as InputData from "#console/views/models/form/InputData.ts"
import * as InputIssues from "#console/views/models/form/InputIssues.ts"
import * as ServerIssues from "#console/views/models/form/ServerIssues.ts"
import { resize } from "#src/features/catalog/models/builtin/vision/Resize.ts"
import * as JsonSchemaValidator from "#src/features/catalog/models/JsonSchemaValidator.ts"

const chat: JsonObject = {
  type: "object",
  additionalProperties: false,
  required: ["messages"],
  properties: {
    messages: { type: "array", minItems: 1, items: { $ref: "#/$defs/message" } },
    temperature: { type: "number", minimum: 0, maximum: 2 }
  },
  $defs: {
    message: {
      type: "object",
      required: ["role", "content"],
      properties: {
        role: { enum: ["user", "system"] },
        content: {
          anyOf: [
            { type: "string", minLength: 1 },
            {
              type: "array",
              items: { type: "object", required: ["text"], properties: { text: { type: "string" } } }
            }
          ]
        }
      }
    }
  }
}

const issues = (schema: JsonObject, input: Json) =>
  Object.fromEntries(InputIssues.of(schema, input).map(({ message, path }) => [path.join("."), message]))

describe("the issues of an input", () => {
  it("stand at the fields where they can be put right", () => {
    assert.deepStrictEqual(
      issues(resize.model.inputSchema, { width: 0, height: 1.5, format: "bmp", colour: 1 }),
      {
        image: "This is required.",
        width: "Enter 1 or more.",
        height: "Enter a whole number.",
        format: "Choose one of: png, jpeg, webp, avif.",
        colour: "The model knows no such field. Remove it."
      }
    )
  })

  it("are found behind references and in lists", () => {
    assert.deepStrictEqual(
      issues(chat, { messages: [{ role: "user", content: "Hi" }, { role: "robot" }], temperature: 3 }),
      {
        "messages.1.content": "This is required.",
        "messages.1.role": "Choose one of: user, system.",
        temperature: "Enter 2 or less."
      }
    )
  })

  it("are those of the alternative that comes closest", () => {
    assert.deepStrictEqual(issues(chat, { messages: [{ role: "user", content: "" }] }), {
      "messages.0.content": "Enter at least one character."
    })
    assert.deepStrictEqual(issues(chat, { messages: [{ role: "user", content: [{}] }] }), {
      "messages.0.content.0.text": "This is required."
    })
  })

  it("agree with the server on what is valid", () => {
    const inputs: ReadonlyArray<readonly [JsonObject, Json]> = [
      [resize.model.inputSchema, resize.model.exampleInput],
      [resize.model.inputSchema, {}],
      [resize.model.inputSchema, { image: "ftp://example.com/a.png" }],
      [chat, { messages: [{ role: "user", content: "Hi" }] }],
      [chat, { messages: [] }],
      [chat, { messages: "Hi" }],
      [chat, { messages: [{ role: "user", content: 1 }] }]
    ]
    for (const [schema, input] of inputs) {
      const server = JsonSchemaValidator.ofProgram(schema).issues(input)
      assert.strictEqual(
        InputIssues.of(schema, input).length === 0,
        server.length === 0,
        JSON.stringify(input)
      )
    }
  })

  it("leave a schema to the server that cannot be followed", () => {
    assert.deepStrictEqual(issues({ $ref: "https://example.com/schema.json" }, {}), {})
  })

  it("come from the server's refusals, too, below the body's prefix", () => {
    assert.deepStrictEqual(
      ServerIssues.of([{ path: ["input", "width"], code: "minimum", message: "must be >= 1" }], ["input"]),
      [{ path: ["width"], message: "Must be >= 1." }]
    )
  })
})

describe("the control of a field", () => {
  it("fits its schema", () => {
    const kind = (name: string, schema: JsonObject, isRequired = false) =>
      FieldKind.of(name, schema, isRequired)
    const url = "^(?:[Hh][Tt][Tt][Pp][Ss]?://|[Dd][Aa][Tt][Aa]:)"
    assert.strictEqual(kind("image", { type: "string", pattern: url }), "media")
    assert.strictEqual(kind("source", { type: "string", pattern: url }), "media")
    assert.strictEqual(kind("initImage", { type: "string", format: "uri" }), "media")
    assert.strictEqual(kind("homepage", { type: "string", format: "uri" }), "text")
    assert.strictEqual(kind("image_size", { type: "string" }), "text")
    assert.strictEqual(kind("prompt", { type: "string", maxLength: 2_000 }), "long")
    assert.strictEqual(kind("name", { type: "string", maxLength: 100 }), "text")
    assert.strictEqual(kind("steps", { type: "integer", minimum: 1, maximum: 50 }), "slider")
    assert.strictEqual(kind("seed", { type: "integer", minimum: 0 }), "number")
    assert.strictEqual(kind("fit", { enum: ["cover", "contain"] }, true), "radio")
    assert.strictEqual(kind("fit", { enum: ["cover", "contain"] }), "choice")
    assert.strictEqual(kind("safe", { type: ["boolean", "null"] }), "switch")
    assert.strictEqual(kind("value", {}), "json")
  })

  it("is named for people, and tells its bounds", () => {
    assert.strictEqual(FieldKind.labelOf("num_images", {}), "Num images")
    assert.strictEqual(FieldKind.labelOf("delayMs", {}), "Delay ms")
    assert.strictEqual(FieldKind.labelOf("x", { title: "Left edge" }), "Left edge")
    assert.strictEqual(
      FieldKind.boundsOf({ minimum: 1, maximum: 4_096, default: 512 }),
      "1 to 4,096. Default 512."
    )
  })

  it("is folded for optional fields of long forms that the example leaves out", () => {
    const properties = Object.fromEntries(
      ["prompt", "width", "height", "seed", "steps", "scheduler"].map((name) => [name, {}])
    )
    const schema = { properties, required: ["prompt"] }
    assert.deepStrictEqual(FieldKind.orderOf(schema, { prompt: "x", steps: 4 }), {
      first: ["prompt", "steps"],
      more: ["width", "height", "seed", "scheduler"]
    })
  })
})

describe("the schema of the form", () => {
  it("begins with what the model works on", () => {
    const { schema } = FormSchema.of(resize.model.inputSchema)
    assert.deepInclude(schema, { type: "object" })
    assert.strictEqual(Object.keys(schema["properties"] ?? {})[0], "image")
  })

  it("ends schemas that refer to themselves in JSON", () => {
    const tree: JsonObject = { type: "object", properties: { child: { $ref: "#" } } }
    assert.include(JSON.stringify(FormSchema.of(tree).uiSchema), '"ui:field":"json"')
  })

  it("stays small for schemas whose parts refer to each other, and takes references that are badly encoded", () => {
    const names = Array.from({ length: 30 }, (_, index) => `part${index}`)
    const web: JsonObject = {
      type: "object",
      properties: Object.fromEntries(names.map((name) => [name, { $ref: "#" }]))
    }
    assert.isBelow(JSON.stringify(FormSchema.of(web).uiSchema).length, 500_000)
    assert.isBelow(JSON.stringify(SchemaRows.of(web)).length, 500_000)
    const bad: JsonObject = { type: "object", properties: { a: { $ref: "#/$defs/100%" } } }
    assert.deepStrictEqual(FormSchema.of(bad).uiSchema["a"], {
      "ui:field": "json",
      "ui:fieldReplacesAnyOrOneOf": true
    })
  })

  it("leaves out null beside one other type", () => {
    const { uiSchema } = FormSchema.of({
      type: "object",
      properties: { seed: { anyOf: [{ type: "integer" }, { type: "null" }] } }
    })
    assert.deepStrictEqual(uiSchema, { seed: { "ui:widget": "number" } })
  })
})

describe("What a form has changed", () => {
  const before = JsonText.parse(
    '{"zebra":1.10,"seed":18446744073709551615,"inner":{"id":9007199254740993,"text":"x"},"list":[{"a":1.0},{"a":2}]}'
  )
  const changed = (next: Json) => JsonText.write(InputData.keeping(before, next))

  it("leaves the texts of the rest", () => {
    const copy = structuredClone(before) as Record<string, Json>
    assert.strictEqual(InputData.keeping(before, copy), before)
    assert.strictEqual(
      changed({ ...copy, inner: { id: Number("9007199254740993"), text: "y" }, more: true }),
      '{"zebra":1.10,"seed":18446744073709551615,"inner":{"id":9007199254740993,"text":"y"},"list":[{"a":1.0},{"a":2}],"more":true}'
    )
    assert.strictEqual(changed({ list: [{ a: 1 }, { a: 3 }] }), '{"list":[{"a":1.0},{"a":3}]}')
    assert.strictEqual(changed("x"), '"x"')
  })

  it("is compared by the digits of long integers", () => {
    const [one, other] = ['{"a":18446744073709551615}', '{"a":18446744073709551616}'].map(JsonText.parse)
    assert.isFalse(InputData.isEqual(one ?? null, other ?? null))
    assert.isTrue(InputData.isEqual({ a: 1 }, { a: 1 }))
  })
})
