/**
 * Errors in fal's form (https://fal.ai/docs/documentation/model-apis/errors and `request-errors`): `detail` is a text, or for 422
 * a list of what is wrong with the input. The client's errors show `message`, which fal does not send.
 */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as Answer from "#src/edges/http/Answer.ts"
import type { ErrorForm } from "#src/edges/http/edge/Respond.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import type { Issue } from "#src/platform/views/EnvelopeView.ts"

const Fault = Schema.Struct({
  loc: Schema.Array(Schema.Union([Schema.String, Schema.Finite])).annotate({
    description: "`body`, then the path within it; the name of a header or parameter likewise."
  }),
  msg: Schema.String,
  type: Schema.String.annotate({ description: "The violated rule, as one word." })
})

const ErrorBody = Schema.Struct({
  detail: Schema.Union([Schema.String, Schema.Array(Fault)]),
  message: Schema.String.annotate({ description: "The same as one text, which the client's error shows." }),
  error_type: Schema.optionalKey(Schema.String.annotate({ description: "For programs." })),
  details: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Json).annotate({
      description: "As `details` of this service's other routes."
    })
  )
})
export type ErrorBody = typeof ErrorBody.Type

const faultOf = ({ code, message, path }: Issue): typeof Fault.Type => ({
  loc: ["body", ...path],
  msg: message,
  type: code
})

/** Issues in the message; all are in `detail`. */
const shownIssues = 3

const messageOf = (issues: ReadonlyArray<Issue>): string =>
  issues
    .slice(0, shownIssues)
    .map(({ message, path }) =>
      path.length === 0 ? `The input ${message}.` : `${path.join(".")} ${message}.`
    )
    .join(" ")

/** Faults of the input are 422 there. The call's id is in the header `x-request-id`. */
export const form: ErrorForm = ({ details, error, headers, status }) => {
  const more = details === undefined ? {} : { error_type: details.code.toLowerCase(), details }
  return typeof error === "string"
    ? Answer.json(status, { detail: error, message: error, ...more }, headers)
    : Answer.json(422, { detail: error.map(faultOf), message: messageOf(error), ...more }, headers)
}

const declared = (status: number, description: string, ...examples: ReadonlyArray<ErrorBody>) =>
  ErrorBody.annotate({ identifier: `FalError${status}`, description, examples }).pipe(
    HttpApiSchema.status(status)
  )

const exampleOf = (error: ErrorAnswer.ErrorAnswer): ErrorBody => JSON.parse(String(form(error, "").body))

const notFound = declared(404, "Unknown model, request or operation.", exampleOf(ErrorAnswer.unknownModel))

/** Of every route that needs a key. */
export const ofKeys = [
  declared(400, "Malformed, or a request that has not ended, or has ended and is cancelled once more."),
  declared(401, "Missing or invalid API key.", exampleOf(ErrorAnswer.unauthorized)),
  declared(403, "The key is not granted the route, the model or the request."),
  notFound,
  declared(405, "The operation has another method."),
  declared(410, "Input and output were erased."),
  declared(412, "The header names an address that is not fal's."),
  declared(
    422,
    "The input breaks the model's schema, the model reports a failure, or the option is not supported.",
    exampleOf(ErrorAnswer.invalid([{ path: ["prompt"], code: "required", message: "must be given" }]))
  ),
  declared(429, "A rate or limit is exceeded: retry after `Retry-After` seconds."),
  declared(499, "The request was cancelled."),
  declared(500, "Unexpected server error, or the provider could not run the request."),
  declared(501, "Realtime connections and their tokens are not supported."),
  declared(503, "Storage cannot be reached, or too much is under way: retry after `Retry-After` seconds."),
  declared(504, "The request did not start or end in time, or has not ended yet.")
] as const

/** Of every route that takes a body. */
export const ofBodies = [
  declared(402, "The request may cost more than what is available."),
  declared(408, "The body did not arrive in time."),
  declared(409, "Another request was submitted under this `Idempotency-Key`."),
  declared(413, "The body is too large, or has too many values."),
  declared(415, "The body is not JSON in UTF-8, or is compressed.")
] as const

/** Of the addresses of an upload. */
export const ofFiles = [
  declared(400, "The body broke off or has not the announced digest, or the parts are not as required."),
  declared(403, "The address was changed or has expired."),
  notFound,
  declared(408, "The body did not arrive in time."),
  declared(409, "All bytes of the file have arrived already."),
  declared(410, "The file was removed."),
  declared(411, "The request announces no body."),
  declared(413, "The part or file is too large."),
  declared(415, "The body is compressed."),
  declared(422, "The number of the part, or the list of parts, is not valid."),
  declared(500, "Unexpected server error."),
  declared(503, "Storage cannot be reached, or too many uploads are under way."),
  declared(507, "The server has no room for the bytes.")
] as const
