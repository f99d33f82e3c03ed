import { assert, describe, it } from "@effect/vitest"
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
