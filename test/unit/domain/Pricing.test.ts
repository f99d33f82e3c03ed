import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Metering from "#domain/Metering.ts"
import * as Money from "#domain/Money.ts"
import * as Pricing from "#domain/Pricing.ts"

const price = (
  unitPrice: bigint,
  minimumCharge = 0n,
  unit: Pricing.BillingUnit = "image"
): Pricing.Price => ({
  unit,
  unitPrice: Money.NanoUsd.make(unitPrice),
  minimumCharge: Money.NanoUsd.make(minimumCharge)
})

const nanos = fc.bigInt({ min: 0n, max: 10n ** 12n })
const quantity = fc.bigInt({ min: 0n, max: 10n ** 10n }).map((value) => Money.Quantity.make(value))

/** For one model: its price, the most units requested, the units delivered, and the nano-USD for both. */
interface Bill {
  readonly unit: Pricing.BillingUnit
  readonly unitPrice: bigint
  readonly minimumCharge?: bigint
  readonly most: Money.Quantity
  readonly hold: bigint
  readonly delivered: Money.Quantity
  readonly charge: bigint
}

const { units, millionths } = Money
const { seconds } = Metering

/** Thousands of code points. */
const characters = (text: string) => Money.millionths(Array.from(text).length * 1_000)
const tokens = (count: number) => Money.millionths(count * 1_000)
const all = (unit: Pricing.BillingUnit, unitPrice: bigint, quantity: Money.Quantity, cost: bigint): Bill => ({
  unit,
  unitPrice,
  most: quantity,
  hold: cost,
  delivered: quantity,
  charge: cost
})

const bills: ReadonlyArray<[string, Bill]> = [
  ["a request, whatever it did", all("request", 1_000_000n, units(1), 1_000_000n)],
  ["all images", all("image", 2_000_000n, units(4), 8_000_000n)],
  [
    "three of four images",
    { ...all("image", 2_000_000n, units(4), 8_000_000n), delivered: units(3), charge: 6_000_000n }
  ],
  [
    "more images than asked for: no more than held",
    { ...all("image", 2_000_000n, units(4), 8_000_000n), delivered: units(5) }
  ],
  ["a full HD picture", all("megapixel", 1_000_000n, millionths(1_920 * 1_080), 2_073_600n)],
  [
    "a picture of one pixel, held for the largest",
    {
      ...all("megapixel", 1_000_000n, millionths(4_096 * 4_096), 16_777_216n),
      delivered: millionths(1),
      charge: 1n
    }
  ],
  [
    "half a nano-USD of pixels, rounded up",
    { ...all("megapixel", 500_000n, units(1), 500_000n), delivered: millionths(1), charge: 1n }
  ],
  [
    "less than half a nano-USD of pixels: the smallest unit",
    { ...all("megapixel", 499_999n, units(1), 499_999n), delivered: millionths(1), charge: 1n }
  ],
  [
    "a second and a half, held for the model's time limit",
    { ...all("second", 100_000n, seconds(600_000), 60_000_000n), delivered: seconds(1_500), charge: 150_000n }
  ],
  ["one millisecond", all("second", 100_000n, seconds(1), 100n)],
  ["a millisecond of half a nano-USD, rounded up", all("second", 500n, seconds(1), 1n)],
  ["a millisecond of less: the smallest unit", all("second", 499n, seconds(1), 1n)],
  ["a thousand characters", all("1k_characters", 15_000_000n, characters("a".repeat(1_000)), 15_000_000n)],
  [
    "one character of a thousand",
    {
      ...all("1k_characters", 15_000_000n, characters("a".repeat(1_000)), 15_000_000n),
      delivered: characters("☃"),
      charge: 15_000n
    }
  ],
  ["no character: the smallest unit", all("1k_characters", 15_000_000n, characters(""), 1n)],
  ["what has no price, however much of it", all("image", 0n, units(1_000_000), 0n)],
  [
    "eight GPUs for 250 ms, held for a minute",
    {
      ...all("gpu_second", 1_000_000n, seconds(480_000), 480_000_000n),
      delivered: seconds(2_000),
      charge: 2_000_000n
    }
  ],
  [
    "less than the minimum charge: the minimum",
    {
      ...all("second", 100_000n, seconds(600_000), 60_000_000n),
      minimumCharge: 5_000_000n,
      delivered: seconds(1_500),
      charge: 5_000_000n
    }
  ],
  [
    "more than the minimum charge: what was delivered, and no more",
    {
      ...all("second", 100_000n, seconds(600_000), 60_000_000n),
      minimumCharge: 149_999n,
      delivered: seconds(1_500),
      charge: 150_000n
    }
  ],
  [
    "13 tokens of at most 4,096",
    { ...all("1k_tokens", 200_000n, tokens(4_096), 819_200n), delivered: tokens(13), charge: 2_600n }
  ],
  [
    "a minimum charge above all that may be delivered: it is held",
    { ...all("1k_characters", 1_000n, characters("hello"), 7_000n), minimumCharge: 7_000n }
  ]
]

describe("The bill of", () => {
  it.each(bills)("%s", (_name, { charge, delivered, hold, minimumCharge, most, unit, unitPrice }) => {
    const quote = Pricing.quote(price(unitPrice, minimumCharge, unit), most, most)
    assert.deepStrictEqual(
      { hold: quote.hold.toString(), charge: Pricing.charge(quote, delivered).toString() },
      { hold: hold.toString(), charge: charge.toString() }
    )
  })

  it("covers every unit", () => {
    assert.sameMembers([...new Set(bills.map(([, { unit }]) => unit))], [...Pricing.BillingUnit.literals])
  })
})

describe("A quote", () => {
  it("holds the price of the most units", () => {
    assert.strictEqual(Pricing.quote(price(2_000_000n), Money.units(3), Money.units(4)).hold, 8_000_000n)
  })

  it("charges for delivered units", () => {
    const quote = Pricing.quote(price(2_000_000n), Money.units(4), Money.units(4))
    assert.strictEqual(Pricing.charge(quote, Money.units(3)), 6_000_000n)
    assert.strictEqual(Pricing.charge(quote, Money.units(4)), 8_000_000n)
    assert.strictEqual(Pricing.charge(quote, Money.units(0)), 1n)
  })

  it("of an earlier release stays as it was, including free runs", () => {
    const former = {
      ...Pricing.quote(price(499n, 0n, "second"), null, seconds(1_000)),
      minimumCharge: Money.zero
    }
    assert.strictEqual(Pricing.holdOf(former), former.hold)
    assert.strictEqual(Pricing.charge(former, seconds(1)), 0n)
  })

  it("charges at least the minimum, and holds at least that", () => {
    const quote = Pricing.quote(price(2_000_000n, 5_000_000n), Money.units(1), Money.units(1))
    assert.strictEqual(quote.hold, 5_000_000n)
    assert.strictEqual(Pricing.charge(quote, Money.units(1)), 5_000_000n)
  })

  it("charges between zero and its hold, rising with the units, up to the whole hold", () => {
    fc.assert(
      fc.property(nanos, nanos, quantity, quantity, quantity, (unit, minimum, most, a, b) => {
        const quote = Pricing.quote(price(unit, minimum), most, most)
        const [less, more] = a < b ? [a, b] : [b, a]
        assert.isTrue(Pricing.charge(quote, less) > 0n || (unit === 0n && minimum === 0n))
        assert.isTrue(Pricing.charge(quote, more) <= quote.hold)
        assert.strictEqual(Pricing.charge(quote, most), quote.hold)
        assert.isTrue(Pricing.charge(quote, less) <= Pricing.charge(quote, more))
      })
    )
  })
})
