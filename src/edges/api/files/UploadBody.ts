/** The body of `POST /storage/upload/initiate` and `…/initiate-multipart` (contract, "Uploads"). Other fields are ignored. */
import { Result, Schema } from "effect"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import type { Announced } from "#src/features/files/Uploads.ts"
import { MediaType } from "#src/features/media/MediaType.ts"
import * as JsonSchemaValidator from "#src/features/catalog/models/JsonSchemaValidator.ts"
import { invalid, issue, type Parsed } from "#src/edges/http/requests/Parsed.ts"

/** Characters of a file name. */
export const longestName = 1024

/** Characters of a media type. */
export const longestType = 1024

const validator = JsonSchemaValidator.ofProgram({
  type: "object",
  properties: {
    file_name: { type: "string", minLength: 1, maxLength: longestName },
    content_type: { type: "string", maxLength: longestType },
    size: { type: ["integer", "null"], minimum: 0, maximum: Number.MAX_SAFE_INTEGER }
  },
  required: ["file_name", "content_type"]
})

const isMediaType = Schema.is(MediaType)

const noMediaType = issue(["content_type"], "format", "must be a media type such as image/png")

export const parse = (body: JsonObject): Parsed<Omit<Announced, "caller">> => {
  const { content_type: contentType, file_name: fileName, size } = body
  const issues = [...validator.issues(body)]
  const isNamed = typeof contentType === "string" && contentType.length <= longestType
  if (isNamed && !isMediaType(contentType)) issues.push(noMediaType)
  if (issues.length > 0 || typeof fileName !== "string" || !isNamed) return invalid(...issues)
  return Result.succeed({ fileName, contentType, size: typeof size === "number" ? size : null })
}
