/** What the routes of OpenAI's API have in common: the form of their errors, and how they are declared. */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import type { ErrorForm } from "#src/edges/http/edge/Respond.ts"
import * as OpenaiErrors from "./OpenaiErrors.ts"

/** For `DeclaredRoutes.layer`. */
export const form: ErrorForm = (found, correlationId) => OpenaiErrors.of(found).toAnswer(correlationId)

/** What the routes of calls have in common. */
export const ofCalls = {
  payload: Schema.Record(Schema.String, Schema.Json),
  success: Schema.Record(Schema.String, Schema.Json).annotate({
    description: "As OpenAI's documentation describes it."
  })
}

const ErrorBody = Schema.Struct({
  error: Schema.Struct({
    message: Schema.String,
    type: Schema.String,
    param: Schema.NullOr(Schema.String),
    code: Schema.NullOr(Schema.String)
  })
}).annotate({ identifier: "OpenaiError" })

const failure = (status: number, description: string) =>
  ErrorBody.annotate({ identifier: `OpenaiError${status}`, description }).pipe(HttpApiSchema.status(status))

/** The errors that the routes declare. */
export const errors = [
  failure(400, "`invalid_request_error`, with the place in `param`; also what the provider refused."),
  failure(401, "`invalid_api_key`: missing, unknown, revoked or expired."),
  failure(403, "The key or token is not granted the call or the model."),
  failure(404, "`model_not_found`, or an unknown file."),
  failure(408, "The body did not arrive in time."),
  failure(409, "Another request was submitted under this `Idempotency-Key`."),
  failure(413, "The body is too large."),
  failure(415, "The body has another form."),
  failure(
    429,
    "`rate_limit_exceeded`, with `Retry-After`, or `insufficient_quota`, which retries do not mend."
  ),
  failure(500, "`server_error`. `x-should-retry: false` where a retry has been made already."),
  failure(503, "The server stops or cannot reach its storage: retry.")
] as const
