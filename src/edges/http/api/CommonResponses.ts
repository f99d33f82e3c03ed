/** The error answers that routes declare: one schema for each status, shared by all routes, with real answers as examples. */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as Money from "#domain/Money.ts"
import { exampleUrl } from "#src/features/files/views/UploadView.ts"
import { QueueFull } from "#src/features/requests/Requests.ts"
import { Envelope } from "#src/platform/views/EnvelopeView.ts"
import * as ErrorAnswer from "../ErrorAnswer.ts"
import * as FileErrorAnswers from "../FileErrorAnswers.ts"
import * as LimitErrorAnswers from "../LimitErrorAnswers.ts"
import * as RateLimitFields from "../RateLimitFields.ts"
import { issue } from "../requests/Parsed.ts"
import * as WorkerErrorAnswers from "../WorkerErrorAnswers.ts"

const exampleOf = ({ details, error }: ErrorAnswer.ErrorAnswer) =>
  ({
    error,
    request_id: "call_rq0qXk2Ab-0Zp1aB3dE5f",
    ...(details !== undefined && { details })
  }) as typeof Envelope.Type

const response = (status: number, description: string, ...answers: ReadonlyArray<ErrorAnswer.ErrorAnswer>) =>
  Envelope.annotate({ identifier: `Error${status}`, description, examples: answers.map(exampleOf) }).pipe(
    HttpApiSchema.status(status)
  )

export const notModified = HttpApiSchema.Empty(304).annotate({
  description: "Not modified since `If-None-Match`."
})

export const badRequest = response(
  400,
  "Invalid or malformed, a request that has not completed, failed or was cancelled, an unknown event id to resume from, or bytes or parts of a file that are not as required (`details.code`).",
  ErrorAnswer.invalid([issue(["prompt"], "type", "must be string")]),
  ErrorAnswer.coded(400, "REQUEST_NOT_COMPLETED", "The request has not completed yet."),
  ErrorAnswer.unknownEventId,
  ErrorAnswer.invalid([issue(["parts", 1], "missing", "has not been uploaded")], {
    code: "PARTS_REFUSED",
    reason: "missing",
    partNumbers: [2]
  }),
  FileErrorAnswers.wrongSize,
  FileErrorAnswers.digestMismatch
)

export const unauthorized = response(401, "Missing or invalid API key.", ErrorAnswer.unauthorized)

/** nano-USD. */
const required = Money.NanoUsd.make(1_000_000n)

export const insufficientBalance = response(
  402,
  "The request may cost more than what is available (top up and retry), or than the key may spend until `resetsAt` (`details.code`).",
  ErrorAnswer.insufficientBalance({ required, available: Money.zero }),
  ErrorAnswer.budgetExceeded({
    limit: Money.NanoUsd.make(5_000_000_000n),
    spent: Money.NanoUsd.make(4_999_500_000n),
    required,
    resetsAt: Date.UTC(2026, 1)
  })
)

export const forbidden = response(
  403,
  "Valid key without access to the resource, one that is not granted the route or the model, a token that does not allow the call, a page of another origin, a secret that was replaced, or a URL that does not allow this upload (`details.code`).",
  ErrorAnswer.forbidden,
  ErrorAnswer.missingScope("requests:read"),
  ErrorAnswer.modelNotGranted,
  ErrorAnswer.originNotAllowed,
  ErrorAnswer.tokenNotGranted,
  ErrorAnswer.grantExceeded(["scopes"]),
  ErrorAnswer.secretSuperseded,
  FileErrorAnswers.urlExpired,
  FileErrorAnswers.signatureMismatch,
  FileErrorAnswers.urlNotSigned,
  FileErrorAnswers.contentTypeMismatch({ declared: "image/png", sent: "text/plain" })
)

export const notFound = response(
  404,
  "Unknown model, wrapper, collection, deployment template, request, file, upload, delivery or key.",
  ErrorAnswer.unknownRequest,
  ErrorAnswer.unknownUpload
)

export const methodNotAllowed = response(
  405,
  "Another method than those in `Allow`.",
  ErrorAnswer.methodNotAllowed(["GET", "PUT", "POST"])
)

export const notAcceptable = response(
  406,
  "`Accept` does not list the forms that answers have.",
  new ErrorAnswer.ErrorAnswer({
    status: 406,
    error: "Answers are application/json or text/event-stream, so Accept must list both."
  })
)

export const timeout = response(408, "The body did not arrive in time.", ErrorAnswer.bodyTimeout)

export const conflict = response(
  409,
  "Another request was submitted under this `Idempotency-Key`, the request has not ended, the delivery is being sent, all bytes of the file have arrived, the key was revoked or has expired, the account has too many keys, or the worker has lost the job (`details.code`).",
  ErrorAnswer.idempotencyKeyReused,
  ErrorAnswer.requestNotEnded,
  ErrorAnswer.deliveryInProgress,
  FileErrorAnswers.uploadCompleted(exampleUrl),
  ErrorAnswer.keyRevoked,
  WorkerErrorAnswers.leaseLost,
  ErrorAnswer.tooManyKeys(100),
  ErrorAnswer.keysUsedUp(10_000)
)

export const gone = response(
  410,
  "It existed and was erased (`details.code`).",
  FileErrorAnswers.fileGone,
  ErrorAnswer.payloadsErased
)

export const lengthRequired = response(
  411,
  "The request announces no body: send `Content-Length`, also for no bytes (`details.code`).",
  FileErrorAnswers.lengthRequired
)

export const preconditionFailed = response(
  412,
  "`If-Match` names other bytes.",
  FileErrorAnswers.preconditionFailed
)

export const tooLarge = response(
  413,
  "The body is larger than 10 MiB or has too many values, or the file is too large (`details.code`).",
  ErrorAnswer.bodyTooLarge(10 * 1024 ** 2),
  ErrorAnswer.tooManyValues,
  FileErrorAnswers.fileTooLarge(5 * 1024 ** 3),
  FileErrorAnswers.quotaExceeded({ limit: 100 * 1024 ** 3, used: 107_000_000_000 })
)

export const unsupported = response(
  415,
  "The body is not JSON in UTF-8, or has a content encoding that the route does not take.",
  ErrorAnswer.unsupportedMediaType
)

export const rangeNotSatisfiable = response(
  416,
  "No byte of the range exists.",
  FileErrorAnswers.rangeNotSatisfiable(0)
)

const field = (description: string, example: string) =>
  Schema.String.annotate({ description, examples: [example] })

const accountRate = { requests: 100, windowSeconds: 60 }
const keyRate = { requests: 10, windowSeconds: 1 }

const rates = [
  { scope: "account", rate: accountRate, remaining: 0, nextInSeconds: 12 },
  { scope: "key", rate: keyRate, remaining: 9, nextInSeconds: 1 }
] as const

const fields = RateLimitFields.ofRates(rates)

export const tooManyRequests = HttpApiSchema.WithHeaders(
  response(
    429,
    "The account or the key has exceeded its rate (`limit` calls in a `window` of seconds), the model's queue is full, too many of the account's requests have not ended, it has too many event streams open or large answers under way, calls without a key are too many for this node, or an address or account sends more bytes to estimate than it may (`details.scope`; `window` is null): retry after `Retry-After` seconds.",
    LimitErrorAnswers.rateExceeded(rates[0], fields),
    LimitErrorAnswers.queueFull(new QueueFull({ limit: 1_000, isUpstream: false, retryAfterSeconds: 5 })),
    LimitErrorAnswers.queueFull(new QueueFull({ limit: 1_000, isUpstream: true, retryAfterSeconds: 42 })),
    LimitErrorAnswers.tooManyOpenRequests({ limit: 500, retryAfterSeconds: 5 }),
    LimitErrorAnswers.tooManyStreams({ limit: 10_000, retryAfterSeconds: 5 }),
    LimitErrorAnswers.bytesExceeded({
      scope: "address",
      rate: { requests: 524_288, windowSeconds: 10 },
      retryAfterSeconds: 3
    })
  ),
  {
    "retry-after": field("Seconds.", "12"),
    "ratelimit-policy": field(
      "The limits of the call, as in draft-ietf-httpapi-ratelimit-headers-11.",
      fields["ratelimit-policy"]
    ),
    ratelimit: field(
      "The remaining calls. If an account or its keys have rates, every answer to a call with a key has these two headers.",
      fields.ratelimit
    )
  }
)

export const unexpected = response(
  500,
  "Unexpected server error, logged with `request_id`, a stored input or output that is lost or damaged, or a signing secret that cannot be opened (`details.code`).",
  ErrorAnswer.unexpected,
  ErrorAnswer.payloadDamaged,
  ErrorAnswer.secretsUnreadable
)

export const unavailable = response(
  503,
  "Storage cannot be reached, archived events cannot be read, a list's read model is behind the log, too many uploads are in progress, too many large answers wait for clients to read them, or (`/health`) requests are not accepted or not run: retry after `Retry-After` seconds.",
  ErrorAnswer.unavailable,
  FileErrorAnswers.tooManyUploads(5),
  ErrorAnswer.busy("Too many large answers are being read at the moment.", 3),
  ErrorAnswer.readModelBehind,
  ErrorAnswer.archiveUnavailable("segment-000000000001-000000020480-0123456789abcdef.jsonl.zst")
)

export const storageFull = response(
  507,
  "The server has no room for the bytes and has stored none of them.",
  FileErrorAnswers.storageFull
)

/** Of every route that needs a key and storage. */
export const usual = [badRequest, unexpected, unavailable] as const

/** Of every route whose path names one resource. */
export const usualOfOne = [...usual, notFound] as const

/** Added by every route that takes a body. */
export const ofBodies = [timeout, tooLarge, unsupported] as const
