import { assert, describe, it } from "@effect/vitest"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import * as MemberOrder from "#domain/catalog/MemberOrder.ts"

const definition = {
  version: "v",
  exampleInput: { zebra: 1, apple: { z: 1, a: 2 } },
  inputSchema: { properties: { zebra: {}, apple: {} } },
  outputSchema: {}
}

describe("The order of members of a definition", () => {
  it("is kept by texts of the fields in which it is not canonical", () => {
    assert.deepStrictEqual(MemberOrder.textsOf(definition), {
      exampleInput: '{"zebra":1,"apple":{"z":1,"a":2}}',
      inputSchema: '{"properties":{"zebra":{},"apple":{}}}'
    })
    assert.isNull(MemberOrder.textsOf({ exampleInput: { apple: 1, zebra: 2 } }))
  })

  it("is kept with the digits of numbers", () => {
    const exampleInput = JsonText.parse('{"a":18446744073709551615,"b":1.10}')
    assert.deepStrictEqual(MemberOrder.textsOf({ exampleInput }), {
      exampleInput: '{"a":18446744073709551615,"b":1.10}'
    })
    const decoded = MemberOrder.remembering(
      { exampleInput: {}, version: "v" },
      JsonText.parse('{"version":"w","exampleInput":{"a":1.10},"other":1}')
    )
    assert.strictEqual(JsonText.write(decoded), '{"exampleInput":{"a":1.10},"version":"v"}')
  })

  it("is kept of bindings if their options are in another order", () => {
    const bindings = (options: JsonObject) => [{ url: "http://10.0.0.7/", adapter: "kserve", options }]
    assert.isNull(MemberOrder.textsOf({ providers: bindings({ a: 1, b: 2 }) }))
    assert.deepStrictEqual(MemberOrder.textsOf({ providers: bindings({ b: 2, a: 1 }) }), {
      providers: '[{"url":"http://10.0.0.7/","adapter":"kserve","options":{"b":2,"a":1}}]'
    })
  })

  it("comes back from a log that has sorted the members", () => {
    const sorted = {
      exampleInput: { apple: { a: 2, z: 1 }, zebra: 1 },
      inputSchema: { properties: { apple: {}, zebra: {} } },
      outputSchema: {},
      version: "v"
    }
    const texts = MemberOrder.textsOf(definition) ?? {}
    assert.strictEqual(
      MemberOrder.write(sorted, texts),
      '{"exampleInput":{"zebra":1,"apple":{"z":1,"a":2}},"inputSchema":{"properties":{"zebra":{},"apple":{}}},"outputSchema":{},"version":"v"}'
    )
  })

  it("is canonical for definitions of older releases", () => {
    assert.strictEqual(MemberOrder.write({ b: 1, a: { d: 1, c: 2 } }, undefined), '{"a":{"c":2,"d":1},"b":1}')
  })
})
