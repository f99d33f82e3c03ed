/**
 * Why a request gets an error, in the contract's words ("Errors"): the one type that routes fail with. No message echoes
 * what the client sent.
 */
import { Data } from "effect"
import * as Money from "#domain/Money.ts"
import * as Answer from "./Answer.ts"
import type { Issue } from "./views/EnvelopeView.ts"

export class Refusal extends Data.TaggedError("Refusal")<{
  readonly status: number
  /** The envelope's `error`. */
  readonly error: string | ReadonlyArray<Issue>
  readonly details?: { readonly code: string; readonly [field: string]: unknown }
  /** By lower-case name. */
  readonly headers?: Readonly<Record<string, string>>
}> {
  /** @param correlationId the envelope's `request_id`. */
  toAnswer(correlationId: string): Answer.Answer {
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

export const malformed = (message: string): Refusal => new Refusal({ status: 400, error: message })

export const malformedRequestId = malformed("The request id must be 21 characters of A-Z, a-z, 0-9, _ and -.")

export const tooManySecrets = new Refusal({
  status: 400,
  error: "Too many signing secrets are valid: rotate again when one of them has expired.",
  details: { code: "TOO_MANY_SECRETS" }
})

export const brokenOffBody = malformed("The request body broke off.")

export const wrongSize = new Refusal({
  status: 400,
  error: "The body has fewer bytes than were declared for the file.",
  details: { code: "SIZE_MISMATCH" }
})

export const digestMismatch = new Refusal({
  status: 400,
  error: "The body does not match its Content-MD5.",
  details: { code: "DIGEST_MISMATCH" }
})

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

export const forbidden = new Refusal({ status: 403, error: "This key has no access to the resource." })

export const urlExpired = new Refusal({
  status: 403,
  error: "The URL has expired: ask for another one.",
  details: { code: "URL_EXPIRED" }
})

export const signatureMismatch = new Refusal({
  status: 403,
  error: "The URL is not as it was given out.",
  details: { code: "SIGNATURE_MISMATCH" }
})

export const urlNotSigned = new Refusal({
  status: 403,
  error: "Nothing can be put to this URL: ask for one to upload to.",
  details: { code: "URL_NOT_SIGNED" }
})

export const contentTypeMismatch = new Refusal({
  status: 403,
  error: "The Content-Type is not the one that was declared for the file.",
  details: { code: "CONTENT_TYPE_MISMATCH" }
})

export const notFound = (what: string): Refusal => new Refusal({ status: 404, error: `${what} not found.` })

export const unknownRoute = notFound("Route")
export const unknownModel = notFound("Model")
export const unknownRequest = notFound("Request")
export const unknownDelivery = notFound("Delivery")
export const unknownFile = notFound("File")
export const unknownUpload = notFound("Upload")

export const methodNotAllowed = (allow: ReadonlyArray<string>): Refusal =>
  new Refusal({
    status: 405,
    error: `This route answers ${allow.join(", ")} only.`,
    headers: { allow: allow.join(", ") }
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

/** @param fileUrl of the file, where the client may be told. */
export const uploadCompleted = (fileUrl?: string): Refusal =>
  new Refusal({
    status: 409,
    error: "All bytes of the file have come before.",
    details: { code: "UPLOAD_COMPLETED", ...(fileUrl !== undefined && { fileUrl }) }
  })

export const lengthRequired = new Refusal({
  status: 411,
  error: "Content-Length, also of no bytes, or Transfer-Encoding is required.",
  details: { code: "LENGTH_REQUIRED" }
})

/** `If-Match` names other bytes (RFC 9110, 13.1.1). */
export const preconditionFailed = new Refusal({
  status: 412,
  error: "The bytes of the file are not those that If-Match names."
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

export const fileGone = new Refusal({
  status: 410,
  error: "The file was removed.",
  details: { code: "FILE_GONE" }
})

export const bodyTooLarge = (maxBytes: number): Refusal =>
  new Refusal({ status: 413, error: `The request body must not exceed ${maxBytes} bytes.` })

/** In bytes. */
export const fileTooLarge = (limit: number): Refusal =>
  new Refusal({
    status: 413,
    error: `The file must not exceed ${limit} bytes.`,
    details: { code: "FILE_TOO_LARGE", limit }
  })

/** Both in bytes. */
export const quotaExceeded = ({ limit, used }: { readonly limit: number; readonly used: number }): Refusal =>
  new Refusal({
    status: 413,
    error: "The account's files would take up more than they may.",
    details: { code: "QUOTA_EXCEEDED", limit, used }
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

/** @param size of the file, in bytes. */
export const rangeNotSatisfiable = (size: number): Refusal =>
  new Refusal({
    status: 416,
    error: "No byte of the range exists.",
    headers: { "content-range": `bytes */${size}` }
  })

export const rateLimited = (options: {
  readonly scope: "account" | "key" | "model"
  readonly retryAfterSeconds: number
}): Refusal =>
  new Refusal({
    status: 429,
    error: "Too many requests.",
    details: { code: "RATE_LIMITED", retryAfter: options.retryAfterSeconds, scope: options.scope },
    headers: { "retry-after": String(options.retryAfterSeconds) }
  })

export const unexpected = new Refusal({ status: 500, error: "Unexpected server error." })

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

export const tooManyReaders = new Refusal({
  status: 503,
  error: "Too many files are being read at the moment.",
  headers: { "retry-after": "5" }
})

export const notDispatching = new Refusal({
  status: 503,
  error: "The server accepts requests but no longer runs them.",
  headers: { "retry-after": "5" }
})

export const unavailable = new Refusal({
  status: 503,
  error: "The service cannot reach its storage at the moment.",
  headers: { "retry-after": "5" }
})

export const tooManyUploads = (retryAfterSeconds: number): Refusal =>
  new Refusal({
    status: 503,
    error: "Too many uploads are under way.",
    headers: { "retry-after": String(retryAfterSeconds) }
  })

export const storageFull = new Refusal({
  status: 507,
  error: "The service has no room left for the bytes.",
  details: { code: "STORAGE_FULL" }
})
