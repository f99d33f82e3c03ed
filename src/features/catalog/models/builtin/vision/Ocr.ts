import { Schema } from "effect"
import { defineModel } from "../BuiltinModel.ts"
import { objectOf } from "../ObjectSchema.ts"
import { helloWorld } from "./ExampleImages.ts"
import { perImage, visionDefaults } from "./VisionDefaults.ts"
import * as Schemas from "./VisionSchemas.ts"

export const OcrInput = Schema.Struct({
  image: Schema.String,
  language: Schema.optionalKey(Schema.Literal("eng"))
})

const pixels = (description: string) => ({ type: "integer", minimum: 0, description })

export const ocr = defineModel({
  ...visionDefaults,
  ...perImage(2_000_000n),
  endpoint: "vision/ocr",
  displayName: "Read text",
  description: "Reads the printed English text in a picture, with the place of every word.",
  category: "text",
  tags: ["image", "text", "ocr"],
  recommended: 1,
  inputSchema: objectOf({
    description: "The picture to read.",
    properties: {
      image: Schemas.image,
      language: { enum: ["eng"], default: "eng", description: "Language of the text." }
    },
    required: ["image"]
  }),
  outputSchema: objectOf({
    description: "The text that was recognized.",
    properties: {
      text: { type: "string", description: "The text, line by line; empty when there is none." },
      confidence: Schemas.confidence,
      words: {
        type: "array",
        description: "The words in reading order.",
        items: {
          type: "object",
          description: "A word.",
          additionalProperties: false,
          required: ["text", "confidence", "box"],
          properties: {
            text: { type: "string", description: "The word." },
            confidence: Schemas.confidence,
            box: {
              type: "object",
              description:
                "Where the word stands in the upright picture, in pixels from its upper left corner.",
              additionalProperties: false,
              required: ["x", "y", "width", "height"],
              properties: {
                x: pixels("Distance from the left edge."),
                y: pixels("Distance from the upper edge."),
                width: pixels("Width of the word."),
                height: pixels("Height of the word.")
              }
            }
          }
        }
      }
    },
    required: ["text", "confidence", "words"]
  }),
  exampleInput: { image: helloWorld, language: "eng" }
})
