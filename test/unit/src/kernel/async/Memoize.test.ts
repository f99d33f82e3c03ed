import { assert, describe, it } from "@effect/vitest"
import { memoize } from "#src/kernel/async/Memoize.ts"

describe("memoize", () => {
  it("computes once per object, and again for an equal one", () => {
    const made: Array<object> = []
    const nameOf = memoize((item: { readonly name: string }) => {
      made.push(item)
      return item.name
    })
    const [one, other] = [{ name: "" }, { name: "" }]
    assert.deepStrictEqual([nameOf(one), nameOf(one), nameOf(other)], ["", "", ""])
    assert.lengthOf(made, 2)
    assert.strictEqual(made[0], one)
    assert.strictEqual(made[1], other)
  })
})
