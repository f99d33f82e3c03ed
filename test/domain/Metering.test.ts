import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Metering from "#domain/Metering.ts"
import * as Money from "#domain/Money.ts"

/** Millionths, as text so that a failure can be read. */
const millionths = (quantity: Money.Quantity) => quantity.toString()

const text = fc.string({ unit: "binary" })
const millis = fc.nat({ max: Number.MAX_SAFE_INTEGER })

describe("Characters", () => {
  it.each<[string, string, number]>([
    ["nothing", "", 0],
    ["a letter", "a", 1],
    ["an umlaut in one code point", "\u00fc", 1],
    ["an umlaut in two code points", "u\u0308", 2],
    ["a Chinese word", "推理", 2],
    ["an emoji, two UTF-16 units", "😀", 1],
    ["a family of three, joined", "👨‍👩‍👧", 5],
    ["half of a surrogate pair", "\ud83d", 1],
    ["both halves the wrong way round", "\ude00\ud83d", 2],
    ["the last code point", "\u{10ffff}", 1],
    ["the first past the basic plane, and the last of it", "\u{10000}\uffff", 2]
  ])("are code points, each a thousandth of the unit: %s", (_name, text, count) => {
    assert.strictEqual(millionths(Metering.characters(text)), String(count * 1_000))
  })

  it("are those that the language counts", () => {
    fc.assert(
      fc.property(text, (text) =>
        assert.strictEqual(Metering.characters(text), Money.millionths(Array.from(text).length * 1_000))
      )
    )
  })

  it("of two texts are those of both together", () => {
    fc.assert(
      fc.property(text, text, (a, b) =>
        assert.strictEqual(
          millionths(Metering.characters(a + b)),
          String(Metering.characters(a) + Metering.characters(b))
        )
      )
    )
  })
})

describe("Time", () => {
  it("in ms is an exact number of seconds", () => {
    assert.strictEqual(Metering.seconds(0), 0n)
    assert.strictEqual(Metering.seconds(1), 1_000n)
    assert.strictEqual(Metering.seconds(3_000), Money.units(3))
    fc.assert(fc.property(millis, (millis) => Metering.seconds(millis) === BigInt(millis) * 1_000n))
  })

  it("of several GPUs is the time of one, times as many", () => {
    assert.strictEqual(Metering.gpuSeconds({ gpus: 8, millis: 250 }), Money.units(2))
    assert.strictEqual(Metering.gpuSeconds({ gpus: 0, millis: 250 }), 0n)
    fc.assert(
      fc.property(fc.nat({ max: 1_000 }), millis, (gpus, millis) => {
        assert.strictEqual(
          millionths(Metering.gpuSeconds({ gpus, millis })),
          String(BigInt(gpus) * Metering.seconds(millis))
        )
      })
    )
  })

  it("is whole ms: a part of one is nobody's to round here", () => {
    assert.throws(() => Metering.seconds(0.5), RangeError)
    assert.throws(() => Metering.gpuSeconds({ gpus: 1, millis: 0.5 }), RangeError)
    assert.throws(() => Metering.gpuSeconds({ gpus: 0.5, millis: 1 }), RangeError)
  })
})
