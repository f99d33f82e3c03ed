import { Schema } from "effect"
import { defineModel } from "../BuiltinModel.ts"
import { objectOf } from "../ObjectSchema.ts"
import { gradient } from "./ExampleImages.ts"
import { perImage, visionDefaults } from "./VisionDefaults.ts"
import * as Schemas from "./VisionSchemas.ts"

export const BlurhashInput = Schema.Struct({
  image: Schema.String,
  xComponents: Schema.optionalKey(Schema.Int),
  yComponents: Schema.optionalKey(Schema.Int)
})

export const defaultComponents = { x: 4, y: 3 } as const

const components = (description: string, byDefault: number) => ({
  type: "integer",
  minimum: 1,
  maximum: 9,
  default: byDefault,
  description
})

export const blurhash = defineModel({
  ...visionDefaults,
  ...perImage(100_000n),
  endpoint: "vision/blurhash",
  displayName: "BlurHash",
  description: "Sums a picture up in a short text that a client draws as a blurred placeholder.",
  category: "image",
  tags: ["image", "placeholder", "blurhash"],
  inputSchema: objectOf({
    description: "The picture and how much of it the text keeps.",
    properties: {
      image: Schemas.image,
      xComponents: components("Components across; more keep more detail.", defaultComponents.x),
      yComponents: components("Components down; more keep more detail.", defaultComponents.y)
    },
    required: ["image"]
  }),
  outputSchema: objectOf({
    description: "The text, and the size of the picture that it stands for.",
    properties: {
      blurhash: { type: "string", minLength: 6, maxLength: 166, description: "The BlurHash." },
      width: Schemas.pixels("Width of the picture in pixels."),
      height: Schemas.pixels("Height of the picture in pixels.")
    },
    required: ["blurhash", "width", "height"]
  }),
  exampleInput: { image: gradient, xComponents: 4, yComponents: 3 }
})
