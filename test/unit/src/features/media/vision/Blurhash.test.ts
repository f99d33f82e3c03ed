import { assert, describe, it } from "@effect/vitest"
import * as Blurhash from "#src/features/media/vision/worker/Blurhash.ts"

const picture = (width: number, height: number, color: (x: number, y: number) => ReadonlyArray<number>) => ({
  width,
  height,
  data: Uint8Array.from(
    Array.from({ length: height }, (_, y) => Array.from({ length: width }, (_, x) => color(x, y))).flat(2)
  )
})

const gradient = picture(12, 8, (x, y) => [255 - x * 20, 250 - y * 30, (11 - x) * (7 - y) * 3])
const white = picture(4, 4, () => [255, 255, 255])

/**
 * The expected texts come from the reference implementation (`blurhash` 2.0.5 on npm) for the same pixels. It loses
 * the sign of details, so the strongest detail of each picture is positive.
 */
describe("Blurhash.encode", () => {
  it.each([
    [4, 3, "L~I=Lu}H,b$%y.t8o4oygyf,fSf+"],
    [1, 1, "00I=Lu"],
    [3, 1, "2{I=Lu}H,b"]
  ] as const)("makes %i × %i components like the reference", (x, y, expected) => {
    assert.strictEqual(Blurhash.encode(gradient, x, y), expected)
  })

  it("makes the maximum of components like the reference", () => {
    assert.strictEqual(
      Blurhash.encode(gradient, 9, 9),
      "|~I=Lu}H,b$%wzxZwzxZwzy.t8o4oyo3kVjvkVjvgyf,fSf+fRf*fRf*fRx@s:o3oeo2kBjukBjugfflfSfkfRfkfRfkfRx@spo2oLo2j[juj[jugfflfRfkfRfkfRfkfRx?spo2oLo2j[juj[jugeflfRfkfRfkfRfkfR"
    )
  })

  it("makes one color like the reference", () => {
    assert.strictEqual(Blurhash.encode(white, 4, 3), "L~TSUA~qfQ~q~q%MfQ%MfQfQfQfQ")
    assert.strictEqual(Blurhash.encode(white, 1, 1), "00TSUA")
  })
})
