import { assert, describe, it } from "@effect/vitest"
import * as GrowingText from "#src/kernel/text/GrowingText.ts"

describe("GrowingText", () => {
  it("is the sum of its pieces, whenever it is read", () => {
    const growing = GrowingText.make()
    let sum = ""
    assert.strictEqual(growing.text(), sum)
    for (let number = 1; number <= 1_000; number++) {
      const piece = number % 7 === 0 ? "" : `${number}€`
      growing.add(piece)
      sum += piece
      if ([1, 2, 127, 128, 129, 256, 300, 999, 1_000].includes(number)) {
        assert.strictEqual(growing.text(), sum)
      }
    }
  })
})
