import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { makeTimeOrdered, millisOf, requestIdPattern, type TimeOrderedParts } from "#domain/Ids.ts"

/** The last ms that seven digits can express, in the year 2109. */
const lastMillis = 64 ** 7 - 1

const parts: fc.Arbitrary<TimeOrderedParts> = fc.record({
  millis: fc.integer({ min: 0, max: lastMillis }),
  counter: fc.integer({ min: 0, max: 4_095 }),
  random: fc.uint8Array({ minLength: 10, maxLength: 16 })
})

const byteOrder = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

describe("A time-ordered id", () => {
  it("has 21 characters of the alphabet for any parts", () => {
    fc.assert(fc.property(parts, (parts) => requestIdPattern.test(makeTimeOrdered(parts))))
  })

  it("sorts by time, then by counter, for any random part", () => {
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        const order = a.millis - b.millis || a.counter - b.counter
        if (order === 0) return
        assert.strictEqual(byteOrder(makeTimeOrdered(a), makeTimeOrdered(b)), Math.sign(order))
      })
    )
  })

  it("sorts neighbours correctly wherever a digit carries", () => {
    for (let digits = 1; digits < 7; digits++) {
      const random = new Uint8Array(10)
      const before = makeTimeOrdered({ millis: 64 ** digits - 1, counter: 4_095, random: random.fill(255) })
      const after = makeTimeOrdered({ millis: 64 ** digits, counter: 0, random: random.fill(0) })
      assert.strictEqual(byteOrder(before, after), -1)
    }
  })

  it("contains the millisecond of its creation", () => {
    fc.assert(fc.property(parts, (parts) => millisOf(makeTimeOrdered(parts)) === parts.millis))
  })

  it("differs if time, counter or random bits differ", () => {
    const random = Uint8Array.from({ length: 10 }, (_, index) => index)
    const other = random.with(9, 63)
    const ids = [
      makeTimeOrdered({ millis: 1, counter: 0, random }),
      makeTimeOrdered({ millis: 1, counter: 0, random: other }),
      makeTimeOrdered({ millis: 1, counter: 1, random }),
      makeTimeOrdered({ millis: 2, counter: 0, random })
    ]
    assert.strictEqual(new Set(ids).size, ids.length)
  })
})
