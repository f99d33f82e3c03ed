/** Schemas that several vision models share. */
import type { Model } from "#domain/catalog/Model.ts"
import { maxDataUriLength, maxSide } from "#src/features/media/ImageLimits.ts"

type JsonSchema = Model["inputSchema"]

export const image: JsonSchema = {
  type: "string",
  minLength: 1,
  maxLength: maxDataUriLength,
  pattern: "^(?:[Hh][Tt][Tt][Pp][Ss]?://|[Dd][Aa][Tt][Aa]:)",
  description:
    "The picture: an https URL, a file URL of this service, or a data: URI of at most 10 MiB. PNG, JPEG, WebP, GIF, AVIF or TIFF; at most 50 MiB and 50 megapixels."
}

export const format: JsonSchema = {
  enum: ["png", "jpeg", "webp", "avif"],
  description: "File format of the output."
}

export const side = (description: string): JsonSchema => ({
  type: "integer",
  minimum: 1,
  maximum: maxSide,
  description
})

export const pixels = (description: string): JsonSchema => ({ type: "integer", minimum: 1, description })

export const confidence: JsonSchema = {
  type: "number",
  minimum: 0,
  maximum: 100,
  description: "How sure the recognition is, 0 to 100."
}

/** The output of every model that makes a picture. */
export const storedImage: JsonSchema = {
  type: "object",
  description: "The stored picture.",
  additionalProperties: false,
  required: ["url", "contentType", "width", "height", "size"],
  properties: {
    url: {
      type: "string",
      format: "uri",
      description: "Public address of the picture: anyone who knows it can fetch it."
    },
    contentType: {
      enum: ["image/png", "image/jpeg", "image/webp", "image/avif"],
      description: "Media type of the file."
    },
    width: pixels("Width in pixels."),
    height: pixels("Height in pixels."),
    size: { type: "integer", minimum: 1, description: "Size of the file in bytes." }
  }
}
