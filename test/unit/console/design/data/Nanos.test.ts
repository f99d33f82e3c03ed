import { assert, describe, it } from "vitest"
import { amountOf, nanosOf } from "#console/design/data/Nanos.ts"

describe("amounts as nano-USD", () => {
  it("keep every digit, also beyond what numbers of JavaScript hold", () => {
    for (const [text, nanos] of [
      ["0", 0n],
      ["-3.0012", -3_001_200_000n],
      ["-0.000000001", -1n],
      ["9007199254740993.000000001", 9_007_199_254_740_993_000_000_001n]
    ] as const) {
      assert.strictEqual(nanosOf(text), nanos)
      assert.strictEqual(amountOf(nanos), text)
    }
  })

  it("are not read from other texts, so that a proof cannot pass over them", () => {
    for (const text of ["", "1e3", "1,5", "0.0000000001", "+1"]) assert.throws(() => nanosOf(text))
  })
})
