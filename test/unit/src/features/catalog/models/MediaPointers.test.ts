import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { Model } from "#domain/catalog/Model.ts"
import * as BuiltinCatalog from "#src/features/catalog/models/BuiltinCatalog.ts"
import { Catalog } from "#src/features/catalog/models/Catalog.ts"
import * as MediaPointers from "#src/features/catalog/models/MediaPointers.ts"
import { testModel } from "#test/support/TestModels.ts"

type JsonSchema = Model["outputSchema"]

const uri = { type: "string", format: "uri" }
const url = "https://files.example.com/a.png"

/** In this form because an object literal with `then` looks like a promise. */
const json = (text: string) => JSON.parse(text)

const places = (schema: JsonSchema, output: Json) => MediaPointers.make(schema).of(output)

const entryOf = (outputSchema: JsonSchema) =>
  Effect.flatMap(Catalog, (catalog) => catalog.find("test/media")).pipe(
    Effect.flatMap(Effect.fromNullishOr),
    Effect.provide(BuiltinCatalog.layerOf([testModel("test/media", { outputSchema })]))
  )

describe("MediaPointers", () => {
  it.each<readonly [string, JsonSchema, Json, ReadonlyArray<string>]>([
    ["a property", { properties: { image: uri } }, { image: url, text: url }, ["/image"]],
    ["the output itself", uri, url, [""]],
    ["array items", { items: uri }, [url, url], ["/0", "/1"]],
    ["a tuple", { prefixItems: [{ type: "string" }, uri] }, [url, url], ["/1"]],
    ["values of any name", { additionalProperties: uri }, { "a/b": url, "m~n": url }, ["/a~1b", "/m~0n"]],
    ["`__proto__`", { additionalProperties: uri }, JSON.parse(`{"__proto__":"${url}"}`), ["/__proto__"]],
    [
      "a definition",
      { $defs: { file: { properties: { url: uri } } }, properties: { a: { $ref: "#/$defs/file" } } },
      { a: { url } },
      ["/a/url"]
    ],
    [
      "a schema that refers to itself",
      { properties: { url: uri, next: { $ref: "#" } } },
      { url, next: { url, next: { next: {} } } },
      ["/url", "/next/url"]
    ],
    [
      "a place declared twice",
      { allOf: [{ properties: { a: uri } }, { properties: { a: uri } }] },
      { a: url },
      ["/a"]
    ],
    [
      "every alternative that matches",
      { properties: { a: { anyOf: [{ type: "string" }, uri] } } },
      { a: url },
      ["/a"]
    ],
    [
      "a nullable field",
      { properties: { a: { anyOf: [uri, { type: "null" }] }, b: { anyOf: [uri, { type: "null" }] } } },
      { a: url, b: null },
      ["/a"]
    ],
    [
      "a branch of a condition",
      json('{"if":{"required":["a"]},"then":{"properties":{"a":{"format":"uri"}}}}'),
      { a: url },
      ["/a"]
    ],
    ["the matching item of a list", { contains: { allOf: [uri, { minLength: 5 }] } }, ["abc", url], ["/1"]]
  ])("finds %s", (_case, schema, output, expected) => {
    assert.deepStrictEqual(places(schema, output), expected)
  })

  const kind = (name: string, field: JsonSchema) => ({
    properties: { result: field, kind: { const: name } },
    required: ["kind"]
  })

  it.each<readonly [string, JsonSchema, Json]>([
    [
      "an alternative that does not match",
      { anyOf: [kind("file", uri), kind("text", {})] },
      { kind: "text", result: url }
    ],
    [
      "the other of two forms",
      { oneOf: [kind("file", uri), kind("text", {})] },
      { kind: "text", result: url }
    ],
    [
      "a condition that does not hold",
      json(
        '{"if":{"properties":{"result":{"format":"uri"},"kind":{"const":"file"}}},"then":{},"else":{"required":["kind"]}}'
      ),
      { kind: "text", result: url }
    ],
    ["a negated schema", { not: { properties: { a: uri }, required: ["b"] } }, { a: url }],
    ["names of properties", { propertyNames: uri }, { [url]: 1 }],
    ["keywords that are not schemas", { properties: { a: { enum: [{ format: "uri" }, url] } } }, { a: url }],
    ["a property called format", { properties: { format: { const: "uri" } } }, { format: "uri" }],
    ["other formats", { properties: { a: { type: "string", format: "uri-reference" } } }, { a: "a.png" }]
  ])("does not find %s", (_case, schema, output) => {
    assert.deepStrictEqual(places(schema, output), [])
  })

  it("costs nothing for a schema without URLs", () => {
    const { of } = MediaPointers.make({ properties: { a: { type: "string" } } })
    assert.strictEqual(of({ a: url }), of([]))
  })

  it("separates schemas and outputs, also with one `$id`", () => {
    const first = MediaPointers.make({ $id: "https://example.com/schema", properties: { a: uri } })
    const second = MediaPointers.make({ $id: "https://example.com/schema", properties: { b: uri } })
    const output = { a: url, b: url }
    const found = first.of(output)
    assert.deepStrictEqual([second.of(output), first.of({}), found], [["/b"], [], ["/a"]])
  })
})

describe("CatalogEntry.mediaPointers", () => {
  it.effect.each(["sandbox/media", "vision/resize", "vision/convert"])(
    "finds the picture of %s",
    (endpoint) =>
      Effect.gen(function* () {
        const entry = yield* Effect.fromNullishOr(yield* (yield* Catalog).find(endpoint))
        const output = { image: { url, contentType: "image/png", width: 1, height: 1, size: 1 } }
        assert.deepStrictEqual(entry.validateOutput(output), [])
        assert.deepStrictEqual(entry.mediaPointers(output), ["/image/url"])
      }).pipe(Effect.provide(BuiltinCatalog.layer))
  )

  it.effect("an output with more than 100 files is invalid as a whole", () =>
    Effect.gen(function* () {
      const entry = yield* entryOf({ type: "array", items: uri })
      const urls = Array.from({ length: 101 }, () => url)
      assert.deepStrictEqual(entry.validateOutput(urls), [
        { instancePath: "", message: "must not hold more than 100 URLs of files" }
      ])
      assert.deepStrictEqual(entry.validateOutput(urls.slice(1)), [])
      assert.strictEqual(entry.mediaPointers(urls.slice(1)).length, 100)
    })
  )

  it.effect("accepts a file of megabytes in a data: URI", () =>
    Effect.gen(function* () {
      const entry = yield* entryOf({ type: "object", properties: { image: uri } })
      const output = { image: `data:image/png;base64,${"A".repeat(8 * 1024 * 1024)}` }
      assert.deepStrictEqual(entry.validateOutput(output), [])
      assert.deepStrictEqual(entry.mediaPointers(output), ["/image"])
    })
  )
})
