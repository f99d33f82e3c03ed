import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"
import type { Metering, Model } from "#domain/catalog/Model.ts"
import type { Wrapper } from "#domain/catalog/Wrapper.ts"
import * as JsonText from "#domain/JsonText.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import * as Money from "#domain/Money.ts"
import type { BillingUnit } from "#domain/Pricing.ts"
import * as ManifestEntry from "#src/features/catalog/models/ManifestEntry.ts"
import { single } from "#test/support/TestModels.ts"

const price = (unit: BillingUnit) => ({
  unit,
  unitPrice: Money.NanoUsd.make(1_000n),
  minimumCharge: Money.zero
})

const urls = { type: "array", items: { type: "string", format: "uri" } }

const model = (unit: BillingUnit, metering: Metering = {}, changes: Partial<Model> = {}): Model => ({
  ...single.model,
  price: price(unit),
  metering,
  inputSchema: { type: "object", additionalProperties: { type: ["number", "string"] } },
  outputSchema: {},
  timeoutSeconds: 90,
  ...changes
})

const entryOf = (one: Model) => Result.getOrThrow(ManifestEntry.make({ model: one }))

const asText = (quantity: Money.Quantity | null) =>
  quantity === null ? null : Money.formatQuantity(quantity)

const unitsOf = Effect.fnUntraced(function* (one: Model, input: Json, output: Json = {}, seconds = 1.5) {
  const entry = entryOf(one)
  const { maxQuantity, quantity } = yield* entry.quantities(input)
  const delivered = yield* entry.delivered({ input, output, seconds })
  return [asText(quantity), asText(maxQuantity), asText(delivered)]
})

describe("The units of a manifest's model", () => {
  const size = "width * height / 1000000"
  const made = "$sum(output.images.(width * height)) / 1000000"
  const files = { outputSchema: urls }
  it.effect.each([
    ["one for a request", model("request"), {}, {}, ["1", "1", "1"]],
    ["the measured time, up to the limit, for seconds", model("second"), {}, {}, [null, "90", "1.5"]],
    [
      "the requested quantity, where known",
      model("second", { quantity: "n" }),
      { n: 3 },
      {},
      ["3", "3", "3"]
    ],
    [
      "at most the declared quantity",
      model("image", { quantity: "n", maxQuantity: "10" }),
      { n: 3 },
      {},
      ["3", "10", "3"]
    ],
    [
      "never less held than requested",
      model("image", { quantity: "n", maxQuantity: "1" }),
      { n: 3 },
      {},
      ["3", "3", "3"]
    ],
    [
      "the files of the output for images",
      model("image", { quantity: "n" }, files),
      { n: 3 },
      ["a:b", "a:c"],
      ["3", "3", "2"]
    ],
    [
      "an expression over the output",
      model("megapixel", { quantity: size, delivered: made }),
      { width: 1000, height: 500 },
      { images: [{ width: 500, height: 500 }] },
      ["0.5", "0.5", "0.25"]
    ],
    ["the elapsed time", model("gpu_second", { delivered: "$ceil(seconds) * 2" }), {}, {}, [null, "90", "4"]],
    [
      "numbers in strings",
      model("1k_characters", { quantity: "n" }),
      { n: "0.25" },
      {},
      ["0.25", "0.25", "0.25"]
    ]
  ] as const)("are %s", ([, one, input, output, expected]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* unitsOf(one, input, output), [...expected])
    })
  )

  it.effect.each([
    ["nothing", "nothing"],
    ["negative", "-1"],
    ["no number", "'many'"],
    ["an empty text", "''"],
    ["beyond the maximum", "1e13"],
    ["a failure", "$error('no')"]
  ] as const)("cannot be %s", ([, quantity]) =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(entryOf(model("image", { quantity })).quantities({}))
      assert.match(message, /^The quantity of this run cannot be computed/)
    })
  )

  it.each([
    ["an image without a quantity", model("image"), /^pricing\.quantity or maxQuantity: /],
    ["megapixels without a quantity", model("megapixel", { maxQuantity: "4" }), /^pricing\.delivered: /],
    [
      "an expression that cannot be parsed",
      model("image", { quantity: "1 +" }),
      /^pricing\.quantity: .* at character 3/
    ],
    ["an invalid input schema", model("request", {}, { inputSchema: { type: "nothing" } }), /^inputSchema: /],
    ["an invalid output schema", model("request", {}, { outputSchema: { minimum: "x" } }), /^outputSchema: /],
    [
      "a mapping that cannot be parsed",
      model("request", {}, { providers: [{ name: "a", adapter: "http", output: "((" }] }),
      /^providers\[0\]\.output: /
    ]
  ] as const)("are rejected for %s", (_name, one, reason) => {
    const made = ManifestEntry.make({ model: one })
    assert(Result.isFailure(made))
    assert.match(made.failure.reason, reason)
  })
})

describe("The entry of a wrapper", () => {
  const base = entryOf(
    model(
      "image",
      { quantity: "n" },
      {
        version: "v1",
        recommended: 3,
        inputSchema: {
          type: "object",
          properties: { prompt: { type: "string", maxLength: 20 }, n: { type: "integer", maximum: 4 } },
          required: ["prompt", "n"],
          additionalProperties: false
        }
      }
    )
  )
  const wrapper: Wrapper = {
    endpoint: ModelEndpoint.make("acme/portrait"),
    version: "w1",
    displayName: "Portrait",
    description: "",
    category: "image",
    tags: [],
    base: base.model.endpoint,
    template: { prompt: "{{who}}, in oil", n: "{{count}}" },
    defaults: { count: 2 },
    inputSchema: {
      type: "object",
      properties: { who: { type: "string" }, count: { type: "integer" } },
      required: ["who"],
      additionalProperties: false
    },
    exampleInput: { who: "a cat" }
  }
  const entry = Result.getOrThrow(ManifestEntry.makeWrapper({ wrapper, base }))

  it("is the base model under the wrapper's name, with a version of both", () => {
    const { endpoint, providers, recommended, version } = entry.model
    assert.deepStrictEqual(
      { endpoint, providers, recommended, version, runs: entry.runs },
      {
        endpoint: wrapper.endpoint,
        providers: base.model.providers,
        recommended: undefined,
        version: "w1.v1",
        runs: base.model.endpoint
      }
    )
  })

  it.effect("passes the rendered template to the base model, and counts its units", () =>
    Effect.gen(function* () {
      const input: JsonObject = { who: "a {{count}}" }
      assert.deepStrictEqual(entry.validateInput(input), [])
      assert.deepStrictEqual(entry.runInput(input), { prompt: "a {{count}}, in oil", n: 2 })
      assert.strictEqual((yield* entry.quantities({ ...input, count: 3 })).quantity, Money.units(3))
      const result = { input: { ...input, count: 3 }, output: {}, seconds: 1 }
      assert.strictEqual(yield* entry.delivered(result), Money.units(3))
    })
  )

  it("keeps the digits of long integers in its template and defaults", () => {
    const template = JsonText.parse('{"seed":18446744073709551615,"other":"{{other}}"}')
    const defaults = JsonText.parse('{"other":9007199254740993}')
    const made = Result.getOrThrow(
      ManifestEntry.makeWrapper({
        wrapper: { ...wrapper, template: Object(template), defaults: Object(defaults) },
        base
      })
    )
    assert.strictEqual(
      JsonText.write(made.runInput({})),
      '{"seed":18446744073709551615,"other":9007199254740993}'
    )
  })

  it("rejects inputs that violate its own schema, or then the base model's", () => {
    assert.deepStrictEqual(entry.validateInput({ who: 1, count: 9 }), [
      { path: ["who"], message: "must be string", code: "type" }
    ])
    assert.deepStrictEqual(entry.validateInput({ who: "a cat", count: 9 }), [
      { path: [], message: "must make an input that test/single takes: /n must be <= 4", code: "maximum" }
    ])
  })
})
