import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import * as fc from "fast-check"
import * as Money from "#domain/Money.ts"

const amount = fc
  .bigInt({ min: -(10n ** 27n) + 1n, max: 10n ** 27n - 1n })
  .map((value) => Money.NanoUsd.make(value))
const positive = fc.bigInt({ min: 0n, max: 10n ** 15n })

describe("An amount of money", () => {
  it("is the shortest decimal text", () => {
    for (const [nanos, text] of [
      [0n, "0"],
      [1n, "0.000000001"],
      [12_500_000n, "0.0125"],
      [25_000_000_000n, "25"],
      [-1_500_000_000n, "-1.5"],
      [-1n, "-0.000000001"],
      [10_000_000_000n, "10"]
    ] as const) {
      assert.strictEqual(Money.format(Money.NanoUsd.make(nanos)), text)
    }
  })

  it("is parsed from its own text", () => {
    fc.assert(
      fc.property(amount, (amount) =>
        assert.deepStrictEqual(Money.parse(Money.format(amount)), Option.some(amount))
      )
    )
  })

  it("is parsed only from a decimal with at most nine places", () => {
    for (const text of [
      "",
      "-",
      ".5",
      "5.",
      "1e3",
      "0x10",
      "+1",
      " 1",
      "1 ",
      "1,5",
      "1.0000000001",
      "--1",
      "1.2.3",
      "٣",
      "NaN"
    ]) {
      assert.deepStrictEqual(Money.parse(text), Option.none(), JSON.stringify(text))
    }
  })

  it("has nine places; trailing zeros are allowed", () => {
    assert.deepStrictEqual(Money.parse("1.500000000"), Option.some(Money.NanoUsd.make(1_500_000_000n)))
  })
})

describe("A price times a quantity", () => {
  it("is rounded half-up to the nano-USD", () => {
    for (const [price, millionths, cost] of [
      [1n, 499_999, 0n],
      [1n, 500_000, 1n],
      [1n, 1_499_999, 1n],
      [1n, 1_500_000, 2n],
      [3n, 500_000, 2n],
      [1_000_000n, 1, 1n],
      [2_000_000n, 3_000_000, 6_000_000n]
    ] as const) {
      assert.strictEqual(
        String(Money.times(Money.NanoUsd.make(price), Money.millionths(millionths))),
        String(cost)
      )
    }
  })

  it("differs from the exact product by at most half a nano-USD", () => {
    fc.assert(
      fc.property(positive, positive, (price, quantity) => {
        const cost = Money.times(Money.NanoUsd.make(price), Money.Quantity.make(quantity))
        const twiceTheError = 2n * (cost * 1_000_000n - price * quantity)
        assert.isTrue(twiceTheError <= 1_000_000n && twiceTheError > -1_000_000n)
      })
    )
  })

  it("of whole units is exact", () => {
    assert.strictEqual(Money.times(Money.NanoUsd.make(7n), Money.units(3)), 21n)
  })
})

describe("The lesser and the greater of two amounts", () => {
  it("is one of them", () => {
    const [one, two] = [Money.NanoUsd.make(1n), Money.NanoUsd.make(2n)]
    assert.deepStrictEqual([Money.min(one, two), Money.min(two, one)], [one, one])
    assert.deepStrictEqual([Money.max(one, two), Money.max(two, one)], [two, two])
  })
})

describe("A quantity", () => {
  it("is parsed from decimal text exactly, or rejected", () => {
    const read = (text: string) => Option.getOrNull(Money.parseQuantity(text))
    assert.strictEqual(read("9007199254.740993"), 9_007_199_254_740_993n)
    assert.strictEqual(read("999999999999.999999"), 999_999_999_999_999_999n)
    assert.strictEqual(read("0.000001"), 1n)
    for (const text of ["", "-1", "1.", ".5", "1e3", " 1", "0.0000001", "1000000000000"]) {
      assert.isNull(read(text), text)
    }
  })

  it("is converted from a number exactly to the millionth, or rejected", () => {
    const of = (count: number) => Option.getOrNull(Money.quantityOf(count))
    assert.strictEqual(of(999_999_999.740993), 999_999_999_740_993n)
    assert.strictEqual(of(1e12), 1_000_000_000_000_000_000n)
    assert.strictEqual(of(123_456_789_012), 123_456_789_012_000_000n)
    for (const count of [-1, Number.NaN, Infinity, 1e12 + 1, 9007199254.740993]) assert.isNull(of(count))
  })
})
