/** The error answers that routes declare: one schema for each status, shared by all routes. */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { exampleUrl } from "#src/features/files/views/UploadView.ts"
import { Envelope } from "#src/platform/views/EnvelopeView.ts"

const example = (error: typeof Envelope.Type.error, details?: typeof Envelope.Type.details) => ({
  error,
  request_id: "call_rq0qXk2Ab-0Zp1aB3dE5f",
  ...(details === undefined ? {} : { details })
})

const response = (status: number, description: string, ...examples: ReadonlyArray<typeof Envelope.Type>) =>
  Envelope.annotate({ identifier: `Error${status}`, description, examples }).pipe(
    HttpApiSchema.status(status)
  )

export const notModified = HttpApiSchema.Empty(304).annotate({
  description: "Not modified since `If-None-Match`."
})

export const badRequest = response(
  400,
  "Invalid or malformed, a request that has not completed, failed or was cancelled, an event id to resume from that is none, or bytes or parts of a file that are not as they have to be (`details.code`).",
  example([{ path: ["prompt"], message: "must be string", code: "type" }]),
  example("The request has not completed yet.", { code: "REQUEST_NOT_COMPLETED" }),
  example("No event has that id yet: it is of another log, or of one that was restored from a copy.", {
    code: "UNKNOWN_EVENT_ID"
  }),
  example([{ path: ["parts", 1], message: "has not been uploaded", code: "missing" }], {
    code: "PARTS_REFUSED",
    reason: "missing",
    partNumbers: [2]
  }),
  example("The body has fewer bytes than were declared for the file.", { code: "SIZE_MISMATCH" }),
  example("The body does not match its Content-MD5.", { code: "DIGEST_MISMATCH" })
)
export const unauthorized = response(
  401,
  "Missing or invalid API key.",
  example("A valid API key is required.")
)
export const insufficientBalance = response(
  402,
  "The request may cost more than what is available (top up and retry), or than the key may spend until `resetsAt` (`details.code`).",
  example("The account's balance is insufficient.", {
    code: "INSUFFICIENT_BALANCE",
    required: "0.001",
    available: "0"
  }),
  example("The key's budget for this month is spent.", {
    code: "BUDGET_EXCEEDED",
    limit: "5",
    spent: "4.9995",
    required: "0.001",
    resetsAt: "2026-02-01T00:00:00.000Z"
  })
)
export const forbidden = response(
  403,
  "Valid key without access to the resource, one that is not granted the route or the model, a secret that was replaced, or a URL that does not allow what is put to it (`details.code`).",
  example("This key has no access to the resource."),
  example("This key is not granted requests:read.", { code: "MISSING_SCOPE", scope: "requests:read" }),
  example("This key is not granted the model.", { code: "MODEL_NOT_GRANTED" }),
  example("This key cannot give more than it has itself: scopes.", {
    code: "GRANT_EXCEEDED",
    fields: ["scopes"]
  }),
  example("The key has a newer secret, and only that one creates, rotates and revokes keys.", {
    code: "SECRET_SUPERSEDED"
  }),
  example("The URL has expired: ask for another one.", { code: "URL_EXPIRED" }),
  example("The URL is not as it was given out.", { code: "SIGNATURE_MISMATCH" }),
  example("Nothing can be put to this URL: ask for one to upload to.", { code: "URL_NOT_SIGNED" }),
  example("The Content-Type is not the one that was declared for the file.", {
    code: "CONTENT_TYPE_MISMATCH"
  })
)
export const notFound = response(
  404,
  "Unknown model, wrapper, collection, deployment template, request, file, upload, delivery or key.",
  example("Request not found."),
  example("Upload not found.")
)
export const methodNotAllowed = response(
  405,
  "Another method than those in `Allow`.",
  example("This route answers GET, PUT, POST only.")
)
export const notAcceptable = response(
  406,
  "`Accept` does not list the forms that answers have.",
  example("Answers come as application/json or as text/event-stream: Accept has to list both.")
)
export const timeout = response(
  408,
  "The body did not arrive in time.",
  example("The request body did not arrive in time.")
)
export const conflict = response(
  409,
  "Another request was submitted under this `Idempotency-Key`, the request has not ended, the delivery is being sent, all bytes of the file have come, the key was revoked or has expired, the account has too many keys, or the job is no longer the worker's (`details.code`).",
  example("Another request was submitted under this Idempotency-Key.", { code: "IDEMPOTENCY_KEY_REUSED" }),
  example("The request has not ended: cancel it first.", { code: "REQUEST_NOT_ENDED" }),
  example("The delivery is being sent just now.", { code: "DELIVERY_IN_PROGRESS" }),
  example("All bytes of the file have come before.", { code: "UPLOAD_COMPLETED", fileUrl: exampleUrl }),
  example("The key was revoked.", { code: "KEY_REVOKED" }),
  example("The job is no longer the worker's: stop working on it.", { code: "LEASE_LOST" }),
  example("The account has 100 keys: revoke one first.", { code: "TOO_MANY_KEYS", limit: 100 }),
  example("The account has had 10000 keys, ended ones included: its operator creates more.", {
    code: "KEYS_USED_UP",
    limit: 10_000
  })
)
export const gone = response(
  410,
  "It was there and is erased (`details.code`).",
  example("The file was removed.", { code: "FILE_GONE" }),
  example("The input and output of the request were erased.", { code: "PAYLOADS_ERASED" })
)
export const lengthRequired = response(
  411,
  "Nothing says that there is a body: send `Content-Length`, also for no bytes (`details.code`).",
  example("Content-Length, also of no bytes, or Transfer-Encoding is required.", { code: "LENGTH_REQUIRED" })
)
export const preconditionFailed = response(
  412,
  "`If-Match` names other bytes.",
  example("The bytes of the file are not those that If-Match names.")
)
export const tooLarge = response(
  413,
  "The body is larger than 10 MiB or has too many values, or the file is larger than it may be (`details.code`).",
  example("The request body must not exceed 10485760 bytes."),
  example("The request body has too many values: they would take more than 16777216 bytes of memory.", {
    code: "TOO_MANY_VALUES",
    limit: 16_777_216
  }),
  example("The file must not exceed 5368709120 bytes.", { code: "FILE_TOO_LARGE", limit: 5_368_709_120 }),
  example("The account's files would take up more than they may.", {
    code: "QUOTA_EXCEEDED",
    limit: 107_374_182_400,
    used: 107_000_000_000
  })
)
export const unsupported = response(
  415,
  "The body is not JSON in UTF-8, or is compressed.",
  example("The request body must be sent as Content-Type: application/json, in UTF-8.")
)
export const rangeNotSatisfiable = response(
  416,
  "No byte of the range exists.",
  example("No byte of the range exists.")
)
const limited = (
  retryAfter: number,
  scope: "account" | "key" | "model" | "node" | "address",
  limit: number,
  window: number | null,
  error = "Too many requests."
) => example(error, { code: "RATE_LIMITED", retryAfter, scope, limit, window })

const field = (description: string, example: string) =>
  Schema.String.annotate({ description, examples: [example] })

export const tooManyRequests = HttpApiSchema.WithHeaders(
  response(
    429,
    "The account or the key has called more often than it may (`limit` calls in a `window` of seconds), the model's queue is full, too many of the account's requests have not ended, it has too many event streams open or large answers under way, calls without a key are too many for this node, or an address or account sends more bytes to estimate than it may (`details.scope`; `window` is null): retry after `Retry-After` seconds.",
    limited(12, "account", 100, 60),
    limited(1, "key", 10, 1),
    limited(5, "model", 1_000, null, "The model's queue is full."),
    example("The model's queue is full, and its provider takes no more for now.", {
      code: "UPSTREAM_RATE_LIMITED",
      retryAfter: 42,
      scope: "model",
      limit: 1_000,
      window: null
    }),
    limited(5, "account", 500, null, "Too many requests have not ended."),
    limited(5, "account", 10_000, null, "Too many event streams are open."),
    limited(1, "node", 100, 2),
    limited(3, "address", 524_288, 10, "Too many bytes are sent.")
  ),
  {
    "retry-after": field("Seconds.", "12"),
    "ratelimit-policy": field(
      "The limits of the call, as in draft-ietf-httpapi-ratelimit-headers-11.",
      '"account";q=100;w=60, "key";q=10;w=1'
    ),
    ratelimit: field(
      "What is left of them. Where an account or its keys have rates, every answer to a call with a key has these two.",
      '"account";r=0;t=12, "key";r=9;t=1'
    )
  }
)
export const unexpected = response(
  500,
  "Unexpected server error, logged with `request_id`, a stored input or output that is lost or damaged, or a signing secret that cannot be opened (`details.code`).",
  example("Unexpected server error."),
  example(
    "What is stored of this request is lost or damaged. It was not erased: the operator has to restore it.",
    {
      code: "PAYLOAD_DAMAGED"
    }
  ),
  example("The signing secret cannot be opened. Rotating makes a new one.", {
    code: "SIGNING_SECRETS_UNREADABLE"
  })
)
export const unavailable = response(
  503,
  "Storage cannot be reached, what a list is read from is behind, too many uploads are under way, too many large answers wait for clients to read them, or (`/health`) requests are not accepted or not run: retry after `Retry-After` seconds.",
  example("The service cannot reach its storage at the moment."),
  example("Too many uploads are under way."),
  example("Too many large answers are being read at the moment."),
  example("This cannot be told as of now: what it is read from is behind the log.", {
    code: "READ_MODEL_BEHIND"
  })
)
export const storageFull = response(
  507,
  "There is no room left for the bytes. Nothing of them is kept.",
  example("The service has no room left for the bytes.", { code: "STORAGE_FULL" })
)

/** Of every route that needs a key and storage. */
export const usual = [badRequest, unexpected, unavailable] as const

/** Of every route whose path names one resource. */
export const usualOfOne = [...usual, notFound] as const

/** Added by every route that takes a body. */
export const ofBodies = [timeout, tooLarge, unsupported] as const
