/** What the public reads of the catalog declare in common. */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as CommonResponses from "./CommonResponses.ts"

export const conditional = {
  "if-none-match": Schema.optionalKey(Schema.String.annotate({ description: "`ETag` of the last answer." }))
}

const described = (description: string) => Schema.String.annotate({ description })

const headers = {
  etag: described("Strong: another answer has another tag."),
  "cache-control": described("How long the answer may be cached.")
}

export const answers = <Body extends Schema.Top>(body: Body) =>
  [HttpApiSchema.WithHeaders(body, headers), CommonResponses.notModified] as const

export const errors = [CommonResponses.badRequest, CommonResponses.unexpected] as const

export const ofOne = [...errors, CommonResponses.notFound] as const
