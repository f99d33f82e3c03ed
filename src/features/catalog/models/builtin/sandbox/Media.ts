import { Schema } from "effect"
import { defineModel, exactly } from "../BuiltinModel.ts"
import { objectOf } from "../ObjectSchema.ts"
import { megapixels, perMegapixel, visionDefaults } from "../vision/VisionDefaults.ts"
import * as Schemas from "../vision/VisionSchemas.ts"

export const MediaInput = Schema.Struct({
  width: Schema.optionalKey(Schema.Int),
  height: Schema.optionalKey(Schema.Int),
  color: Schema.optionalKey(Schema.String)
})

export const mediaDefaults = { width: 512, height: 512, color: "#3366cc" } as const

const side = (name: string) => ({
  type: "integer",
  minimum: 1,
  maximum: 4_096,
  default: mediaDefaults.width,
  description: `${name} in pixels.`
})

export const media = defineModel({
  ...visionDefaults,
  endpoint: "sandbox/media",
  displayName: "Media",
  description: "Makes a picture of one color. For output files, thumbnails and billing by size.",
  category: "utility",
  tags: ["sandbox", "testing", "image"],
  inputSchema: objectOf({
    description: "The picture to make.",
    properties: {
      width: side("Width"),
      height: side("Height"),
      color: {
        type: "string",
        maxLength: 64,
        default: mediaDefaults.color,
        description: "A CSS color: a name, #rrggbb, rgb(…) or hsl(…)."
      }
    },
    required: []
  }),
  outputSchema: objectOf({
    description: "The picture.",
    properties: { image: Schemas.storedImage },
    required: ["image"]
  }),
  exampleInput: { width: 256, height: 256, color: "tomato" },
  price: perMegapixel,
  input: MediaInput,
  quantities: ({ width, height }) =>
    exactly(megapixels((width ?? mediaDefaults.width) * (height ?? mediaDefaults.height)))
})
