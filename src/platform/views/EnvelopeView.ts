/** The body of every error (contract, "Error envelope"). */
import { Schema } from "effect"
import { Scope } from "#domain/account/Grant.ts"
import { UpstreamError } from "#domain/UpstreamError.ts"

export const Issue = Schema.Struct({
  path: Schema.Array(Schema.Union([Schema.String, Schema.Finite])).annotate({
    description:
      "From the body's root: property names and array indexes; a header or query parameter by its name."
  }),
  message: Schema.String,
  code: Schema.String.annotate({ description: "The violated rule, as one word." })
}).annotate({ identifier: "Issue", description: "One reason why a request is invalid." })
export type Issue = typeof Issue.Type

export const Violation = Schema.Struct({
  instancePath: Schema.String.annotate({ description: "JSON pointer into the output." }),
  message: Schema.String
}).annotate({ identifier: "Violation", description: "One breach of the model's output schema." })

const PartsReason = Schema.Literals([
  "missing",
  "etag_mismatch",
  "too_small",
  "wrong_size",
  "not_named"
]).annotate({ description: "Why the parts cannot be completed to a file." })

export const Upstream = UpstreamError.annotate({
  identifier: "UpstreamError",
  description: "What the provider's answer says of the error besides its message, as far as it does."
})

const ErrorDetails = Schema.Struct({
  code: Schema.String,
  validationErrors: Schema.optionalKey(Schema.Array(Violation)),
  retryAfter: Schema.optionalKey(Schema.Finite.annotate({ description: "Seconds." })),
  scope: Schema.optionalKey(
    Schema.Literals(["account", "key", "model", "node", "address", "connection", ...Scope.literals]).annotate(
      { description: "The owner of the limit, or the scope that the key lacks." }
    )
  ),
  required: Schema.optionalKey(
    Schema.String.annotate({ description: "The most that the request may cost, in USD." })
  ),
  available: Schema.optionalKey(
    Schema.String.annotate({ description: "The account's balance minus its holds, in USD." })
  ),
  limit: Schema.optionalKey(
    Schema.Union([Schema.Int, Schema.String]).annotate({
      description:
        "For 413 the limit in bytes of the file or of the account's files; for 429 the number of calls or of concurrent requests; for 402 the key's monthly budget in USD."
    })
  ),
  spent: Schema.optionalKey(
    Schema.String.annotate({
      description: "The part of the budget that the key has spent or reserved, in USD."
    })
  ),
  resetsAt: Schema.optionalKey(
    Schema.String.annotate({ description: "When the next month begins.", format: "date-time" })
  ),
  window: Schema.optionalKey(
    Schema.NullOr(Schema.Int).annotate({
      description: "The period of the limit in seconds; null for a limit of concurrent use."
    })
  ),
  fields: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({ description: "The fields that would grant the key too much." })
  ),
  used: Schema.optionalKey(Schema.Int.annotate({ description: "Bytes of the account's files." })),
  fileUrl: Schema.optionalKey(
    Schema.String.annotate({ description: "The file that already has these bytes.", format: "uri" })
  ),
  reason: Schema.optionalKey(PartsReason),
  partNumbers: Schema.optionalKey(
    Schema.Array(Schema.Int).annotate({ description: "The parts that the reason concerns." })
  ),
  segment: Schema.optionalKey(
    Schema.String.annotate({ description: "The archived segment that cannot be read." })
  ),
  upstream: Schema.optionalKey(Upstream)
}).annotate({ identifier: "ErrorDetails" })

export const Envelope = Schema.Struct({
  error: Schema.Union([Schema.String, Schema.Array(Issue)]),
  request_id: Schema.String.annotate({
    description: "Correlation id for support, also in `x-request-id`. Not the id of an inference request."
  }),
  details: Schema.optionalKey(ErrorDetails)
}).annotate({ identifier: "Error", description: "The body of every error." })
