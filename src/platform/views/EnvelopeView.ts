/** The body of every error (contract, "Error envelope"). */
import { Schema } from "effect"
import { Scope } from "#domain/account/Grant.ts"

export const Issue = Schema.Struct({
  path: Schema.Array(Schema.Union([Schema.String, Schema.Finite])).annotate({
    description:
      "From the body's root: property names and array indexes; a header or query parameter by its name."
  }),
  message: Schema.String,
  code: Schema.String.annotate({ description: "The broken rule as one word." })
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
]).annotate({ description: "Why no file can be made of the parts." })

const ErrorDetails = Schema.Struct({
  code: Schema.String,
  validationErrors: Schema.optionalKey(Schema.Array(Violation)),
  retryAfter: Schema.optionalKey(Schema.Finite.annotate({ description: "Seconds." })),
  scope: Schema.optionalKey(
    Schema.Literals(["account", "key", "model", "node", "address", "connection", ...Scope.literals]).annotate(
      {
        description: "Whose limit it is, or what the key is not granted."
      }
    )
  ),
  required: Schema.optionalKey(
    Schema.String.annotate({ description: "What the request may cost at most, in USD." })
  ),
  available: Schema.optionalKey(
    Schema.String.annotate({ description: "The account's balance less what is held, in USD." })
  ),
  limit: Schema.optionalKey(
    Schema.Union([Schema.Int, Schema.String]).annotate({
      description:
        "Of 413 the bytes that the file, or the account's files, may have; of 429 how many calls, or requests at once; of 402 the key's budget for a month, in USD."
    })
  ),
  spent: Schema.optionalKey(
    Schema.String.annotate({ description: "What the key has spent of it, and has held, in USD." })
  ),
  resetsAt: Schema.optionalKey(
    Schema.String.annotate({ description: "When the next month begins.", format: "date-time" })
  ),
  window: Schema.optionalKey(
    Schema.NullOr(Schema.Int).annotate({
      description: "Seconds that the limit is for; null for a limit of what may be there at once."
    })
  ),
  fields: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({ description: "In which the key would be given too much." })
  ),
  used: Schema.optionalKey(Schema.Int.annotate({ description: "Bytes that the account's files take up." })),
  fileUrl: Schema.optionalKey(
    Schema.String.annotate({ description: "Of the file whose bytes have come before.", format: "uri" })
  ),
  reason: Schema.optionalKey(PartsReason),
  partNumbers: Schema.optionalKey(
    Schema.Array(Schema.Int).annotate({ description: "The parts that the reason is about." })
  )
}).annotate({ identifier: "ErrorDetails" })

export const Envelope = Schema.Struct({
  error: Schema.Union([Schema.String, Schema.Array(Issue)]),
  request_id: Schema.String.annotate({
    description: "Correlation id for support, also in `x-request-id`; no id of a request."
  }),
  details: Schema.optionalKey(ErrorDetails)
}).annotate({ identifier: "Error", description: "The body of every error." })
