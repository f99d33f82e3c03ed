import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Predicate, Result } from "effect"
import { isModelName, isOwnerName } from "#domain/ModelEndpoint.ts"
import * as BuiltinCatalog from "#src/features/catalog/models/BuiltinCatalog.ts"
import { Catalog } from "#src/features/catalog/models/Catalog.ts"
import * as JsonSchemaValidator from "#src/features/catalog/models/JsonSchemaValidator.ts"

/** JSON pointers to the parts of a schema without a type. */
const undescribed = (schema: unknown, at: string): ReadonlyArray<string> => {
  if (!Predicate.isObject(schema)) return []
  const properties = Predicate.isObject(schema["properties"]) ? Object.entries(schema["properties"]) : []
  return [
    ...(typeof schema["description"] === "string" && schema["description"] !== "" ? [] : [at]),
    ...properties.flatMap(([name, property]) => undescribed(property, `${at}/${name}`)),
    ...undescribed(schema["items"], `${at}/items`)
  ]
}

/** Whether an object schema, at any depth, allows unnamed properties. */
const open = (schema: unknown, at: string): ReadonlyArray<string> => {
  if (!Predicate.isObject(schema)) return []
  const properties = Predicate.isObject(schema["properties"]) ? Object.entries(schema["properties"]) : []
  return [
    ...(schema["type"] === "object" && schema["additionalProperties"] !== false ? [at] : []),
    ...properties.flatMap(([name, property]) => open(property, `${at}/${name}`)),
    ...open(schema["items"], `${at}/items`)
  ]
}

const models = BuiltinCatalog.builtinModels.map(({ model, quantities }) => ({
  model,
  quantities,
  endpoint: model.endpoint
}))

describe("BuiltinCatalog", () => {
  it("contains exactly the models that clients rely on", () => {
    assert.deepStrictEqual(models.map(({ endpoint }) => String(endpoint)).sort(), [
      "sandbox/chat",
      "sandbox/echo",
      "sandbox/fail",
      "sandbox/flaky",
      "sandbox/invalid-output",
      "sandbox/media",
      "sandbox/partial",
      "sandbox/provider-fail",
      "sandbox/slow",
      "sandbox/stream",
      "vision/blurhash",
      "vision/convert",
      "vision/ocr",
      "vision/resize"
    ])
  })

  it("gives every model its own version", () => {
    assert.strictEqual(new Set(models.map(({ model }) => model.version)).size, models.length)
  })

  // The server assumes that at its start.
  it.each(models)("$endpoint has schemas that are JSON Schema 2020-12", ({ model }) => {
    for (const schema of [model.inputSchema, model.outputSchema])
      assert.isTrue(Result.isSuccess(JsonSchemaValidator.make(schema)))
  })

  it.each(models)("$endpoint can be addressed", ({ endpoint }) => {
    const [owner = "", name = ""] = endpoint.split("/")
    assert.isTrue(isOwnerName(owner) && isModelName(name))
  })

  it.each(models)("$endpoint describes every field of its input and output", ({ model }) => {
    assert.isAtLeast(model.description.length, 20)
    assert.deepStrictEqual(undescribed(model.inputSchema, ""), [])
    assert.deepStrictEqual(undescribed(model.outputSchema, ""), [])
  })

  // The input of sandbox/chat is a body of OpenAI's API, whose other members it ignores.
  const closed = models.filter(({ endpoint }) => endpoint !== "sandbox/chat")
  it.each(closed)("$endpoint rejects undeclared fields in input and output", ({ model }) => {
    assert.deepStrictEqual(open(model.inputSchema, ""), [])
    assert.deepStrictEqual(open(model.outputSchema, ""), [])
  })

  it.each(models)("$endpoint has a consistent price, units and limits", ({ model, quantities }) => {
    const { quantity, maxQuantity } = quantities(model.exampleInput)
    assert.isTrue(model.price.unitPrice > 0n && maxQuantity > 0n && (quantity ?? maxQuantity) <= maxQuantity)
    assert.isTrue(model.expectedSeconds > 0 && model.expectedSeconds <= model.timeoutSeconds)
    assert.isAtLeast(model.concurrency, 1)
  })

  layer(BuiltinCatalog.layer)((it) => {
    it.effect.each(models)("$endpoint accepts its example and rejects what is not an object", ({ model }) =>
      Effect.gen(function* () {
        const entry = yield* Effect.flatMap(Catalog, (catalog) => catalog.find(model.endpoint))
        assert.strictEqual(entry?.model.version, model.version)
        assert.deepStrictEqual(entry?.validateInput(model.exampleInput), [])
        assert.deepStrictEqual(entry?.validateInput([]), [
          { path: [], message: "must be object", code: "type" }
        ])
        assert.isAtLeast(entry?.validateOutput(null).length ?? 0, 1)
      })
    )

    it.effect("finds no model under an invalid name", () =>
      Effect.gen(function* () {
        const catalog = yield* Catalog
        for (const name of ["sandbox/none", "sandbox", "", "constructor", "__proto__"]) {
          assert.isNull(yield* catalog.find(name))
          assert.isNull(yield* catalog.findVersion(name, "x"))
        }
      })
    )

    it.effect("returns the current version when the requested one is gone", () =>
      Effect.gen(function* () {
        const catalog = yield* Catalog
        const current = yield* catalog.find("sandbox/echo")
        assert.isNotNull(current)
        assert.strictEqual(yield* catalog.findVersion("sandbox/echo", current.model.version), current)
        assert.strictEqual(yield* catalog.findVersion("sandbox/echo", "an older one"), current)
      })
    )
  })
})
