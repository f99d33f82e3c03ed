import { assert, describe, it } from "@effect/vitest"
import sharp from "sharp"
import type { Fit } from "#src/features/media/vision/VisionTask.ts"
import { outputSize } from "#src/features/media/vision/worker/Pictures.ts"

const fits: ReadonlyArray<Fit> = ["cover", "contain", "fill", "inside", "outside"]
const sides = [undefined, 1, 37, 150, 400]

describe("outputSize", () => {
  it.each(fits)("predicts what sharp makes with %s, to within a pixel", async (fit) => {
    const picture = { width: 300, height: 199 }
    const source = sharp({ create: { ...picture, channels: 3, background: "red" } })
    const bytes = await source.png().toBuffer()
    for (const width of sides) {
      for (const height of sides) {
        const frame = { fit, ...(width !== undefined && { width }), ...(height !== undefined && { height }) }
        const { info } = await sharp(bytes).resize(frame).raw().toBuffer({ resolveWithObject: true })
        const foretold = outputSize(picture, frame)
        assert.approximately(foretold.width, info.width, 1, JSON.stringify(frame))
        assert.approximately(foretold.height, info.height, 1, JSON.stringify(frame))
      }
    }
  })
})
