import { assert, describe, it } from "@effect/vitest"
import type { Json } from "#domain/CanonicalJson.ts"
import * as Money from "#domain/Money.ts"
import { visionModels } from "#src/features/catalog/models/builtin/vision/VisionModels.ts"

const image = "https://receiver.example.com/cat.png"
const cap = 50_000_000
const one = 1_000_000

type Case = readonly [string, { readonly [key: string]: Json }, number]

const quantitiesOf = (endpoint: string, input: Json) =>
  visionModels.find(({ model }) => String(model.endpoint) === endpoint)?.quantities(input)

describe("quantities of the image models", () => {
  it.each<Case>([
    ["vision/resize", { image, width: 640, height: 480 }, 307_200],
    ["vision/resize", { image, width: 640, height: 480, fit: "contain" }, 307_200],
    ["vision/resize", { image, width: 16_384, height: 16_384 }, cap],
    ["sandbox/media", {}, 262_144],
    ["sandbox/media", { width: 1 }, 512],
    ["sandbox/media", { width: 4_096, height: 4_096 }, 16_777_216],
    ["vision/convert", { image, format: "png" }, one],
    ["vision/blurhash", { image }, one],
    ["vision/ocr", { image }, one]
  ])("%s requests for %j %i millionths", (endpoint, input, millionths) => {
    const quantity = Money.millionths(millionths)
    assert.deepStrictEqual(quantitiesOf(endpoint, input), { quantity, maxQuantity: quantity })
  })

  it.each<Case>([
    ["vision/resize", { image, width: 640, height: 480, fit: "inside" }, 307_200],
    ["vision/resize", { image, width: 640, height: 480, fit: "outside" }, cap],
    ["vision/resize", { image, width: 640 }, cap],
    ["vision/resize", { image }, cap]
  ])(
    "%s holds for %j at most %i millionths, because only the run determines the units",
    (endpoint, input, millionths) => {
      const maxQuantity = Money.millionths(millionths)
      assert.deepStrictEqual(quantitiesOf(endpoint, input), { quantity: null, maxQuantity })
    }
  )
})
