/** Error answers in the contract's words ("Errors"): the one type that routes fail with. No message echoes client input. */
import { Data, Effect, Result } from "effect"
import type { Scope } from "#domain/account/Grant.ts"
import * as Money from "#domain/Money.ts"
import * as JsonBytes from "#src/kernel/text/JsonBytes.ts"
import * as Answer from "./Answer.ts"
import * as DateTime from "#src/platform/views/DateTime.ts"
import type { Issue } from "#src/platform/views/EnvelopeView.ts"

export class ErrorAnswer extends Data.TaggedError("ErrorAnswer")<{
  readonly status: number
  /** The envelope's `error`. */
  readonly error: string | ReadonlyArray<Issue>
  readonly details?: { readonly code: string; readonly [field: string]: unknown }
  readonly headers?: Answer.Headers
  /** The body of another protocol, in the place of the envelope. */
  readonly body?: unknown
}> {
  /** @param correlationId the envelope's `request_id`. */
  toAnswer(correlationId: string): Answer.TextAnswer {
    const { status, error, details, headers, body } = this
    if (body !== undefined) return Answer.json(status, body, headers)
    const envelope = { error, request_id: correlationId, ...(details === undefined ? {} : { details }) }
    return Answer.json(status, envelope, headers)
  }
}

/** At most this many issues in one answer (decisions, "Bodies"). */
const maxIssues = 1_000

export const invalid = (issues: ReadonlyArray<Issue>, details?: ErrorAnswer["details"]): ErrorAnswer =>
  new ErrorAnswer({
    status: 400,
    error: issues.slice(0, maxIssues),
    ...(details !== undefined && { details })
  })

/** The value, or the refusal of its issues. */
export const orInvalid = <A>(parsed: Result.Result<A, ReadonlyArray<Issue>>): Effect.Effect<A, ErrorAnswer> =>
  Effect.fromResult(Result.mapError(parsed, (issues) => invalid(issues)))

/** With a code in `details`, for programs. */
export const coded = (
  status: number,
  code: string,
  error: string,
  fields: Readonly<Record<string, unknown>> = {}
): ErrorAnswer => new ErrorAnswer({ status, error, details: { code, ...fields } })

/** 503 with `Retry-After`. */
export const busy = (error: string, retryAfterSeconds: number): ErrorAnswer =>
  new ErrorAnswer({ status: 503, error, headers: { "retry-after": String(retryAfterSeconds) } })

export const malformed = (message: string): ErrorAnswer => new ErrorAnswer({ status: 400, error: message })

export const malformedRequestId = malformed("The request id must be 21 characters of A-Z, a-z, 0-9, _ and -.")

export const unknownEventId = coded(
  400,
  "UNKNOWN_EVENT_ID",
  "No event has that id yet: it is of another log, or of one that was restored from a copy."
)

export const brokenOffBody = malformed("The request body broke off.")

export const unauthorized = new ErrorAnswer({
  status: 401,
  error: "A valid API key is required: Authorization: Key <API_KEY>.",
  headers: { "www-authenticate": "Key" }
})

/** Both in nano-USD; shown in USD. */
export const insufficientBalance = (amounts: {
  readonly required: Money.NanoUsd
  readonly available: Money.NanoUsd
}): ErrorAnswer =>
  coded(402, "INSUFFICIENT_BALANCE", "The account's balance is insufficient.", {
    required: Money.format(amounts.required),
    available: Money.format(amounts.available)
  })

/** Amounts in nano-USD, shown in USD; `resetsAt` Unix time in ms. */
export const budgetExceeded = (budget: {
  readonly limit: Money.NanoUsd
  readonly spent: Money.NanoUsd
  readonly required: Money.NanoUsd
  readonly resetsAt: number
}): ErrorAnswer =>
  coded(402, "BUDGET_EXCEEDED", "The key's budget for this month is spent.", {
    limit: Money.format(budget.limit),
    spent: Money.format(budget.spent),
    required: Money.format(budget.required),
    resetsAt: DateTime.format(budget.resetsAt)
  })

export const forbidden = new ErrorAnswer({ status: 403, error: "This key has no access to the resource." })

/** @param headers that every answer to the call carries. */
export const missingScope = (scope: Scope, headers: Answer.Headers = Answer.noHeaders): ErrorAnswer =>
  new ErrorAnswer({
    status: 403,
    error: `This key is not granted ${scope}.`,
    details: { code: "MISSING_SCOPE", scope },
    headers
  })

export const originNotAllowed = coded(
  403,
  "ORIGIN_NOT_ALLOWED",
  "Pages of this origin may not use the key or token: name the origin in its `origins`."
)

export const tokenNotGranted = coded(403, "TOKEN_NOT_GRANTED", "This token does not allow this call.")

export const modelNotGranted = coded(403, "MODEL_NOT_GRANTED", "This key is not granted the model.")

/** @param fields of the body in which the key would be given more. */
export const grantExceeded = (fields: ReadonlyArray<string>): ErrorAnswer =>
  coded(403, "GRANT_EXCEEDED", `This key cannot grant more than its own rights: ${fields.join(", ")}.`, {
    fields
  })

export const secretSuperseded = coded(
  403,
  "SECRET_SUPERSEDED",
  "The key has a newer secret, and only that one creates, rotates and revokes keys."
)

export const notFound = (what: string): ErrorAnswer =>
  new ErrorAnswer({ status: 404, error: `${what} not found.` })

export const unknownRoute = notFound("Route")
export const unknownModel = notFound("Model")
export const unknownRequest = notFound("Request")
export const unknownDelivery = notFound("Delivery")
export const unknownFile = notFound("File")
export const unknownKey = notFound("Key")
export const unknownUpload = notFound("Upload")

/** @param headers that every answer of the route carries. */
export const methodNotAllowed = (
  allow: ReadonlyArray<string>,
  headers: Answer.Headers = Answer.noHeaders
): ErrorAnswer =>
  new ErrorAnswer({
    status: 405,
    error: `This route answers ${allow.join(", ")} only.`,
    headers: { ...headers, allow: allow.join(", ") }
  })

export const bodyTimeout = new ErrorAnswer({
  status: 408,
  error: "The request body did not arrive in time.",
  headers: { connection: "close" }
})

export const idempotencyKeyReused = coded(
  409,
  "IDEMPOTENCY_KEY_REUSED",
  "Another request was submitted under this Idempotency-Key."
)

export const requestNotEnded = coded(409, "REQUEST_NOT_ENDED", "The request has not ended: cancel it first.")

export const deliveryInProgress = coded(409, "DELIVERY_IN_PROGRESS", "The delivery is being sent now.")

export const keyRevoked = coded(409, "KEY_REVOKED", "The key was revoked.")

export const keyExpired = coded(409, "KEY_EXPIRED", "The key has expired.")

export const tooManyKeys = (limit: number): ErrorAnswer =>
  coded(409, "TOO_MANY_KEYS", `The account has ${limit} keys: revoke one first.`, { limit })

export const keysUsedUp = (limit: number): ErrorAnswer =>
  coded(
    409,
    "KEYS_USED_UP",
    `The account has had ${limit} keys, including ended ones: only the operator can create more.`,
    { limit }
  )

export const payloadsErased = coded(
  410,
  "PAYLOADS_ERASED",
  "The input and output of the request were erased."
)

export const deliveryErased = coded(410, "PAYLOADS_ERASED", "The body of the delivery was erased.")

export const bodyTooLarge = (maxBytes: number): ErrorAnswer =>
  new ErrorAnswer({ status: 413, error: `The request body must not exceed ${maxBytes} bytes.` })

export const tooManyValues = coded(
  413,
  "TOO_MANY_VALUES",
  `The request body has too many values: they would take more than ${JsonBytes.maxWeight} bytes of memory.`,
  { limit: JsonBytes.maxWeight }
)

export const bodyTooComplex = coded(
  413,
  "TOO_COMPLEX",
  "The request body takes too long, or too much memory, to check."
)

export const unsupportedMediaType = new ErrorAnswer({
  status: 415,
  error: "The request body must be sent as Content-Type: application/json, in UTF-8."
})

export const unsupportedEncoding = new ErrorAnswer({
  status: 415,
  error: "The request body must be sent without a content encoding.",
  headers: { "accept-encoding": "identity" }
})

export const unexpected = new ErrorAnswer({ status: 500, error: "Unexpected server error." })

export const payloadDamaged = coded(
  500,
  "PAYLOAD_DAMAGED",
  "The stored data of this request is lost or damaged. It was not erased: the operator must restore it."
)

export const secretsUnreadable = coded(
  500,
  "SIGNING_SECRETS_UNREADABLE",
  "The signing secret cannot be opened. Rotating makes a new one."
)

export const stopping = new ErrorAnswer({
  status: 503,
  error: "The server is stopping.",
  headers: { "retry-after": "1", connection: "close" }
})

const connectionBusy = (error: string): ErrorAnswer =>
  new ErrorAnswer({
    status: 429,
    error,
    details: { code: "RATE_LIMITED", retryAfter: 1, scope: "connection" },
    headers: { "retry-after": "1", connection: "close" }
  })

export const pipelined = connectionBusy("Too many requests wait on this connection.")

/** A request behind a stream on its connection would wait until the stream ends. */
export const streamPipelined = connectionBusy(
  "An event stream needs a connection without other pending answers."
)

export const streamsFull = busy("Too many event streams are open at the moment.", 5)

export const inputMemoryFull = busy("The server reads as much input as it can at the moment.", 2)

export const evaluatorBusy = busy("Too many inputs wait for a price estimate at the moment.", 1)

export const unavailable = busy("The service cannot reach its storage at the moment.", 5)

/** @param segment the file's name. */
export const archiveUnavailable = (segment: string): ErrorAnswer =>
  new ErrorAnswer({
    status: 503,
    error: "The archived events behind this answer cannot be read at the moment.",
    details: { code: "ARCHIVE_UNAVAILABLE", segment },
    headers: { "retry-after": "60" }
  })

export const readModelBehind = new ErrorAnswer({
  status: 503,
  error: "The read model behind this answer lags the log. Try again in a moment.",
  details: { code: "READ_MODEL_BEHIND" },
  headers: { "retry-after": "5" }
})
