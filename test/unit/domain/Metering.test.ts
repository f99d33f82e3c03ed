import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Metering from "#domain/Metering.ts"
import * as Money from "#domain/Money.ts"

const millis = fc.nat({ max: Number.MAX_SAFE_INTEGER })

describe("Metering.seconds", () => {
  it("is exact to the ms", () => {
    assert.strictEqual(Metering.seconds(0), 0n)
    assert.strictEqual(Metering.seconds(1), 1_000n)
    assert.strictEqual(Metering.seconds(3_000), Money.units(3))
    fc.assert(fc.property(millis, (millis) => Metering.seconds(millis) === BigInt(millis) * 1_000n))
  })

  it("throws on fractions of a ms instead of rounding", () => {
    assert.throws(() => Metering.seconds(0.5), RangeError)
  })
})
