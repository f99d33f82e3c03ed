import { assert, describe, it } from "@effect/vitest"
import * as Contenders from "#src/features/dispatch/Contenders.ts"

describe("The order of models in a pass", () => {
  it("starts with those never served, and ends with the one served last", () => {
    const served = Contenders.served<string>()
    for (const endpoint of ["a", "b", "c", "a"]) served.note(endpoint, `account of ${endpoint}`)
    assert.deepStrictEqual(served.inTurn(["a", "b", "new", "c"]), ["new", "b", "c", "a"])
    assert.strictEqual(served.lastOf("b"), "account of b")
    assert.isNull(served.lastOf("new"))
  })

  it("is not remembered for ever", () => {
    const served = Contenders.served<string>()
    served.note("first", "account")
    for (let model = 0; model < 10_000; model++) served.note(`model ${model}`, "account")
    assert.isNull(served.lastOf("first"))
    assert.strictEqual(served.lastOf("model 9999"), "account")
  })
})
