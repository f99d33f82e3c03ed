/** What the routes of files have in common. */
import { Schema } from "effect"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"

export const errors = [
  CommonResponses.badRequest,
  CommonResponses.unexpected,
  CommonResponses.unavailable
] as const

export const params = {
  fileId: Schema.String.annotate({ description: "24 characters, as in the file's URL." })
}
