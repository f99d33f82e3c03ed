import { Schema } from "effect"
import { OutputFormat } from "#src/features/media/vision/VisionTask.ts"
import { defineModel } from "../BuiltinModel.ts"
import { objectOf } from "../ObjectSchema.ts"
import { gradient } from "./ExampleImages.ts"
import { perImage, visionDefaults } from "./VisionDefaults.ts"
import * as Schemas from "./VisionSchemas.ts"

export const ConvertInput = Schema.Struct({
  image: Schema.String,
  format: OutputFormat,
  quality: Schema.optionalKey(Schema.Int)
})

export const convert = defineModel({
  ...visionDefaults,
  ...perImage(500_000n),
  endpoint: "vision/convert",
  displayName: "Convert image",
  description:
    "Writes a picture in another file format, upright as its EXIF data says. Metadata is removed; of an animation the first frame is taken.",
  category: "image",
  tags: ["image", "convert", "compress"],
  recommended: 2,
  inputSchema: objectOf({
    description: "The picture and the format it shall have.",
    properties: {
      image: Schemas.image,
      format: Schemas.format,
      quality: {
        type: "integer",
        minimum: 1,
        maximum: 100,
        description:
          "Quality of a jpeg, webp or avif; a png loses nothing and has none. Default: 80, avif 50."
      }
    },
    required: ["image", "format"]
  }),
  outputSchema: objectOf({
    description: "The converted picture.",
    properties: { image: Schemas.storedImage },
    required: ["image"]
  }),
  exampleInput: { image: gradient, format: "jpeg", quality: 80 }
})
