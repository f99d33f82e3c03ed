/**
 * Why a request gets an error, in the contract's words ("Errors"): the one type that routes fail with. No message echoes
 * what the client sent.
 */
import { Data, Effect, Result } from "effect"
import type { Scope } from "#domain/account/Grant.ts"
import * as Money from "#domain/Money.ts"
import * as JsonBytes from "#src/kernel/text/JsonBytes.ts"
import * as Answer from "./Answer.ts"
import * as DateTime from "#src/platform/views/DateTime.ts"
import type { Issue } from "#src/platform/views/EnvelopeView.ts"

export class Refusal extends Data.TaggedError("Refusal")<{
  readonly status: number
  /** The envelope's `error`. */
  readonly error: string | ReadonlyArray<Issue>
  readonly details?: { readonly code: string; readonly [field: string]: unknown }
  readonly headers?: Answer.Headers
}> {
  /** @param correlationId the envelope's `request_id`. */
  toAnswer(correlationId: string): Answer.TextAnswer {
    const { status, error, details, headers } = this
    const envelope = { error, request_id: correlationId, ...(details === undefined ? {} : { details }) }
    return Answer.json(status, envelope, headers)
  }
}

/** At most this many issues in one answer (decisions, "Bodies"). */
const maxIssues = 1_000

export const invalid = (issues: ReadonlyArray<Issue>, details?: Refusal["details"]): Refusal =>
  new Refusal({
    status: 400,
    error: issues.slice(0, maxIssues),
    ...(details === undefined ? {} : { details })
  })

/** The value, or the refusal of its issues. */
export const orInvalid = <A>(parsed: Result.Result<A, ReadonlyArray<Issue>>): Effect.Effect<A, Refusal> =>
  Effect.fromResult(Result.mapError(parsed, (issues) => invalid(issues)))

export const malformed = (message: string): Refusal => new Refusal({ status: 400, error: message })

export const malformedRequestId = malformed("The request id must be 21 characters of A-Z, a-z, 0-9, _ and -.")

export const unknownEventId = new Refusal({
  status: 400,
  error: "No event has that id yet: it is of another log, or of one that was restored from a copy.",
  details: { code: "UNKNOWN_EVENT_ID" }
})

export const brokenOffBody = malformed("The request body broke off.")

export const unauthorized = new Refusal({
  status: 401,
  error: "A valid API key is required: Authorization: Key <API_KEY>.",
  headers: { "www-authenticate": "Key" }
})

/** Both in nano-USD; told in USD. */
export const insufficientBalance = (amounts: {
  readonly required: Money.NanoUsd
  readonly available: Money.NanoUsd
}): Refusal =>
  new Refusal({
    status: 402,
    error: "The account's balance is insufficient.",
    details: {
      code: "INSUFFICIENT_BALANCE",
      required: Money.format(amounts.required),
      available: Money.format(amounts.available)
    }
  })

/** Amounts in nano-USD, told in USD; `resetsAt` Unix time in ms. */
export const budgetExceeded = (budget: {
  readonly limit: Money.NanoUsd
  readonly spent: Money.NanoUsd
  readonly required: Money.NanoUsd
  readonly resetsAt: number
}): Refusal =>
  new Refusal({
    status: 402,
    error: "The key's budget for this month is spent.",
    details: {
      code: "BUDGET_EXCEEDED",
      limit: Money.format(budget.limit),
      spent: Money.format(budget.spent),
      required: Money.format(budget.required),
      resetsAt: DateTime.format(budget.resetsAt)
    }
  })

export const forbidden = new Refusal({ status: 403, error: "This key has no access to the resource." })

/** @param headers that every answer to the call carries. */
export const missingScope = (scope: Scope, headers: Answer.Headers = Answer.noHeaders): Refusal =>
  new Refusal({
    status: 403,
    error: `This key is not granted ${scope}.`,
    details: { code: "MISSING_SCOPE", scope },
    headers
  })

export const modelNotGranted = new Refusal({
  status: 403,
  error: "This key is not granted the model.",
  details: { code: "MODEL_NOT_GRANTED" }
})

/** @param fields of the body in which the key would be given more. */
export const grantExceeded = (fields: ReadonlyArray<string>): Refusal =>
  new Refusal({
    status: 403,
    error: `This key cannot give more than it has itself: ${fields.join(", ")}.`,
    details: { code: "GRANT_EXCEEDED", fields }
  })

export const secretSuperseded = new Refusal({
  status: 403,
  error: "The key has a newer secret, and only that one creates, rotates and revokes keys.",
  details: { code: "SECRET_SUPERSEDED" }
})

export const notFound = (what: string): Refusal => new Refusal({ status: 404, error: `${what} not found.` })

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
): Refusal =>
  new Refusal({
    status: 405,
    error: `This route answers ${allow.join(", ")} only.`,
    headers: { ...headers, allow: allow.join(", ") }
  })

export const bodyTimeout = new Refusal({
  status: 408,
  error: "The request body did not arrive in time.",
  headers: { connection: "close" }
})

export const idempotencyKeyReused = new Refusal({
  status: 409,
  error: "Another request was submitted under this Idempotency-Key.",
  details: { code: "IDEMPOTENCY_KEY_REUSED" }
})

export const requestNotEnded = new Refusal({
  status: 409,
  error: "The request has not ended: cancel it first.",
  details: { code: "REQUEST_NOT_ENDED" }
})

export const deliveryInProgress = new Refusal({
  status: 409,
  error: "The delivery is being sent just now.",
  details: { code: "DELIVERY_IN_PROGRESS" }
})

export const keyRevoked = new Refusal({
  status: 409,
  error: "The key was revoked.",
  details: { code: "KEY_REVOKED" }
})

export const keyExpired = new Refusal({
  status: 409,
  error: "The key has expired.",
  details: { code: "KEY_EXPIRED" }
})

export const tooManyKeys = (limit: number): Refusal =>
  new Refusal({
    status: 409,
    error: `The account has ${limit} keys: revoke one first.`,
    details: { code: "TOO_MANY_KEYS", limit }
  })

export const keysUsedUp = (limit: number): Refusal =>
  new Refusal({
    status: 409,
    error: `The account has had ${limit} keys, ended ones included: its operator creates more.`,
    details: { code: "KEYS_USED_UP", limit }
  })

export const payloadsErased = new Refusal({
  status: 410,
  error: "The input and output of the request were erased.",
  details: { code: "PAYLOADS_ERASED" }
})

export const deliveryErased = new Refusal({
  status: 410,
  error: "The body of the delivery was erased.",
  details: { code: "PAYLOADS_ERASED" }
})

export const bodyTooLarge = (maxBytes: number): Refusal =>
  new Refusal({ status: 413, error: `The request body must not exceed ${maxBytes} bytes.` })

export const tooManyValues = new Refusal({
  status: 413,
  error: `The request body has too many values: they would take more than ${JsonBytes.maxWeight} bytes of memory.`,
  details: { code: "TOO_MANY_VALUES", limit: JsonBytes.maxWeight }
})

export const bodyTooComplex = new Refusal({
  status: 413,
  error: "The request body takes too long, or too much memory, to check.",
  details: { code: "TOO_COMPLEX" }
})

export const unsupportedMediaType = new Refusal({
  status: 415,
  error: "The request body must be sent as Content-Type: application/json, in UTF-8."
})

export const unsupportedEncoding = new Refusal({
  status: 415,
  error: "The request body must be sent without a content encoding.",
  headers: { "accept-encoding": "identity" }
})

export const unexpected = new Refusal({ status: 500, error: "Unexpected server error." })

export const payloadDamaged = new Refusal({
  status: 500,
  error:
    "What is stored of this request is lost or damaged. It was not erased: the operator has to restore it.",
  details: { code: "PAYLOAD_DAMAGED" }
})

export const secretsUnreadable = new Refusal({
  status: 500,
  error: "The signing secret cannot be opened. Rotating makes a new one.",
  details: { code: "SIGNING_SECRETS_UNREADABLE" }
})

export const stopping = new Refusal({
  status: 503,
  error: "The server is stopping.",
  headers: { "retry-after": "1", connection: "close" }
})

export const pipelined = new Refusal({
  status: 429,
  error: "Too many requests wait on this connection.",
  details: { code: "RATE_LIMITED", retryAfter: 1, scope: "connection" },
  headers: { "retry-after": "1", connection: "close" }
})

/** Whatever waits behind a stream on its connection waits for as long as that is open. */
export const streamPipelined = new Refusal({
  status: 429,
  error: "An event stream takes a connection on which no other answer is waited for.",
  details: { code: "RATE_LIMITED", retryAfter: 1, scope: "connection" },
  headers: { "retry-after": "1", connection: "close" }
})

export const streamsFull = new Refusal({
  status: 503,
  error: "Too many event streams are open at the moment.",
  headers: { "retry-after": "5" }
})

export const inputMemoryFull = new Refusal({
  status: 503,
  error: "The server reads as much input as it can at the moment.",
  headers: { "retry-after": "2" }
})

export const evaluatorBusy = new Refusal({
  status: 503,
  error: "Too many calls wait for the price of their input at the moment.",
  headers: { "retry-after": "1" }
})

export const unavailable = new Refusal({
  status: 503,
  error: "The service cannot reach its storage at the moment.",
  headers: { "retry-after": "5" }
})

export const readModelBehind = new Refusal({
  status: 503,
  error: "This cannot be told as of now: what it is read from is behind the log.",
  details: { code: "READ_MODEL_BEHIND" },
  headers: { "retry-after": "5" }
})
