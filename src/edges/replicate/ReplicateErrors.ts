/** Errors in Replicate's form: `{ title, detail, status, invalid_fields? }`. */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as Answer from "#src/edges/http/Answer.ts"
import type { ErrorForm } from "#src/edges/http/edge/Respond.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import type { Issue } from "#src/platform/views/EnvelopeView.ts"

const ErrorBody = Schema.Struct({
  title: Schema.String,
  detail: Schema.String.annotate({ description: "What is wrong, for people." }),
  status: Schema.Int,
  code: Schema.optionalKey(
    Schema.String.annotate({ description: "As `details.code` of this service's other routes." })
  ),
  invalid_fields: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        type: Schema.String.annotate({ description: "The violated rule, as one word." }),
        field: Schema.String.annotate({ description: "Its path, such as `input.prompt`." }),
        description: Schema.String
      })
    )
  )
})

const titles: Readonly<Record<number, string>> = {
  400: "Bad request",
  401: "Unauthenticated",
  402: "Insufficient credit",
  403: "Forbidden",
  404: "Not found",
  408: "Request timeout",
  409: "Conflict",
  410: "Gone",
  413: "Request too large",
  415: "Unsupported media type",
  422: "Input validation failed",
  429: "Too many requests",
  500: "Internal error",
  503: "Unavailable",
  507: "Storage full"
}

const fieldOf = ({ code, message, path }: Issue) => ({
  type: code,
  field: path.join("."),
  description: message
})

type Body = typeof ErrorBody.Type

const bodyOf = ({ details, error, status }: ErrorAnswer.ErrorAnswer): Body => {
  const code = details === undefined ? {} : { code: details.code }
  if (typeof error === "string") return { title: titles[status] ?? "Error", detail: error, status, ...code }
  const invalid_fields = error.map(fieldOf)
  const detail = invalid_fields.map(({ description, field }) => `- ${field}: ${description}\n`).join("")
  return { title: titles[422] ?? "", detail, status: 422, ...code, invalid_fields }
}

/** Invalid fields are 422 there. The call's id is in the header `x-request-id`. */
export const form: ErrorForm = (errorAnswer) => {
  const body = bodyOf(errorAnswer)
  return Answer.json(body.status, body, errorAnswer.headers)
}

const example = ErrorAnswer.invalid([
  { path: ["input", "prompt"], code: "required", message: "must be given" }
])

const declared = (status: number, description: string) =>
  ErrorBody.annotate({
    identifier: `ReplicateError${status}`,
    description,
    examples: status === 422 ? [bodyOf(example)] : []
  }).pipe(HttpApiSchema.status(status))

const invalid = declared(422, "Invalid input, header, query or version, or an unusable webhook.")
export const notFound = declared(
  404,
  "Unknown model, version, prediction or file, or one of another account."
)
const unauthorized = declared(401, "Missing or invalid API key.")
export const insufficient = declared(402, "The prediction may cost more than what is available.")
const tooLarge = declared(413, "The body or the file is too large, or has too many values.")
export const conflict = declared(409, "Another request was submitted under this `Idempotency-Key`.")
export const gone = declared(410, "The file was deleted or has expired.")
export const storageFull = declared(507, "The server has no room for the bytes.")

/** Of every route. */
export const usual = [
  declared(400, "Malformed."),
  invalid,
  declared(500, "Unexpected server error."),
  declared(503, "Storage cannot be reached, or too much is under way: retry after `Retry-After` seconds.")
] as const

/** Of every route that needs a key. */
export const ofKeys = [
  ...usual,
  unauthorized,
  declared(403, "The key is not granted the route or the model."),
  declared(429, "A rate or limit is exceeded: retry after `Retry-After` seconds.")
] as const

/** Of every route that takes a body. */
export const ofBodies = [
  declared(408, "The body did not arrive in time."),
  tooLarge,
  declared(415, "The body has another type than the route takes, or is compressed.")
] as const
