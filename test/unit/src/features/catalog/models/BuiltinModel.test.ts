import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Money from "#domain/Money.ts"
import { type Definition, defineModel, exactly } from "#src/features/catalog/models/builtin/BuiltinModel.ts"

const definition: Definition<{ readonly count: number }> = {
  endpoint: "test/model",
  displayName: "Model",
  description: "A model.",
  category: "utility",
  tags: ["a"],
  inputSchema: { type: "object", properties: { count: { type: "number" } } },
  outputSchema: {},
  exampleInput: { count: 1 },
  price: { unit: "image", unitPrice: Money.NanoUsd.make(1n), minimumCharge: Money.zero },
  expectedSeconds: 1,
  timeoutSeconds: 10,
  concurrency: 1,
  input: Schema.Struct({ count: Schema.Number }),
  quantities: ({ count }) => exactly(Money.units(count))
}
const version = (changed: Partial<typeof definition>) =>
  defineModel({ ...definition, ...changed }).model.version

describe("BuiltinModel", () => {
  it("has the same version for the same definition, whatever the order of its keys", () => {
    const inputSchema = { properties: { count: { type: "number" } }, type: "object" }
    assert.strictEqual(version({ inputSchema }), version({}))
    assert.match(version({}), /^[A-Za-z0-9_-]{22}$/)
  })

  it.each<Partial<typeof definition>>([
    { endpoint: "test/other" },
    { description: "Another model." },
    { tags: ["a", "b"] },
    { inputSchema: { type: "object", properties: { count: { type: "integer" } } } },
    { outputSchema: { type: "object" } },
    { exampleInput: { count: 2 } },
    { price: { ...definition.price, unitPrice: Money.NanoUsd.make(2n) } },
    { timeoutSeconds: 11 },
    { concurrency: 2 },
    { maxQueued: 5 },
    { retry: { retries: 1, initialDelayMs: 1 } }
  ])("has another version after a change of %o", (changed) => {
    assert.notStrictEqual(version(changed), version({}))
  })

  it("counts the units of an input and ignores other fields", () => {
    assert.deepStrictEqual(defineModel(definition).quantities({ count: 3, other: "x" }), {
      quantity: Money.units(3),
      maxQuantity: Money.units(3)
    })
  })

  it.each(["models/resize", "noslash", "a/b/c", "A/b"])("rejects the endpoint %s", (endpoint) => {
    assert.throws(() => defineModel({ ...definition, endpoint }))
  })
})
