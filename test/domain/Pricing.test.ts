import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Money from "#domain/Money.ts"
import * as Pricing from "#domain/Pricing.ts"

const price = (unitPrice: bigint, minimumCharge = 0n): Pricing.Price => ({
  unit: "image",
  unitPrice: Money.NanoUsd.make(unitPrice),
  minimumCharge: Money.NanoUsd.make(minimumCharge)
})

const nanos = fc.bigInt({ min: 0n, max: 10n ** 12n })
const quantity = fc.bigInt({ min: 0n, max: 10n ** 10n }).map((value) => Money.Quantity.make(value))

describe("A quote", () => {
  it("holds the price of the most that may be delivered", () => {
    assert.strictEqual(Pricing.quote(price(2_000_000n), Money.units(3), Money.units(4)).hold, 8_000_000n)
  })

  it("charges for what was delivered", () => {
    const quote = Pricing.quote(price(2_000_000n), Money.units(4), Money.units(4))
    assert.strictEqual(Pricing.charge(quote, Money.units(3)), 6_000_000n)
    assert.strictEqual(Pricing.charge(quote, Money.units(4)), 8_000_000n)
    assert.strictEqual(Pricing.charge(quote, Money.units(0)), 0n)
  })

  it("charges the minimum for less, and holds at least that", () => {
    const quote = Pricing.quote(price(2_000_000n, 5_000_000n), Money.units(1), Money.units(1))
    assert.strictEqual(quote.hold, 5_000_000n)
    assert.strictEqual(Pricing.charge(quote, Money.units(1)), 5_000_000n)
  })

  it("never charges more than its hold, nor less for more", () => {
    fc.assert(
      fc.property(nanos, nanos, quantity, quantity, quantity, (unit, minimum, most, a, b) => {
        const quote = Pricing.quote(price(unit, minimum), most, most)
        const [less, more] = a < b ? [a, b] : [b, a]
        assert.isTrue(Pricing.charge(quote, more) <= quote.hold)
        assert.isTrue(Pricing.charge(quote, less) <= Pricing.charge(quote, more))
      })
    )
  })
})
