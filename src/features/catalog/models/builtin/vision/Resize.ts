import { Schema } from "effect"
import { Fit, OutputFormat } from "#src/features/media/vision/VisionTask.ts"
import type { Quantities } from "../../Catalog.ts"
import { atMost, defineModel, exactly } from "../BuiltinModel.ts"
import { objectOf } from "../ObjectSchema.ts"
import { gradient } from "./ExampleImages.ts"
import { megapixels, perMegapixel, visionDefaults } from "./VisionDefaults.ts"
import * as Schemas from "./VisionSchemas.ts"

/** The part of an input that its price depends on. */
const ResizeSize = Schema.Struct({
  width: Schema.optionalKey(Schema.Int),
  height: Schema.optionalKey(Schema.Int),
  fit: Schema.optionalKey(Fit)
})

export const ResizeInput = Schema.Struct({
  ...ResizeSize.fields,
  image: Schema.String,
  format: Schema.optionalKey(OutputFormat)
})

/** The output's size is known in advance only with both sides and a fit that fills them. */
const quantities = ({ width, height, fit }: typeof ResizeSize.Type): Quantities => {
  if (width === undefined || height === undefined || fit === "outside") return atMost(megapixels(undefined))
  return fit === "inside" ? atMost(megapixels(width * height)) : exactly(megapixels(width * height))
}

export const resize = defineModel({
  ...visionDefaults,
  endpoint: "vision/resize",
  displayName: "Resize image",
  description:
    "Scales a picture to a width, a height or both, and turns it upright as its EXIF data says. Without either it keeps its size and is only written anew. Metadata is removed; of an animation the first frame is taken.",
  category: "image",
  tags: ["image", "resize", "thumbnail"],
  recommended: 1,
  inputSchema: objectOf({
    description: "The picture and the size it shall have.",
    properties: {
      image: Schemas.image,
      width: Schemas.side("Width of the output in pixels. Without it, it follows from the height."),
      height: Schemas.side("Height of the output in pixels. Without it, it follows from the width."),
      fit: {
        enum: ["cover", "contain", "fill", "inside", "outside"],
        default: "cover",
        description:
          "How the picture meets width and height when both are given: cover crops it, contain adds borders, fill stretches it, inside and outside keep its shape and make it at most or at least so large."
      },
      format: {
        ...Schemas.format,
        description:
          "File format of the output. Default: that of the input where it is listed here, else png."
      }
    },
    required: ["image"]
  }),
  outputSchema: objectOf({
    description: "The resized picture.",
    properties: { image: Schemas.storedImage },
    required: ["image"]
  }),
  exampleInput: { image: gradient, width: 64, height: 48, format: "png" },
  price: perMegapixel,
  input: ResizeSize,
  quantities
})
