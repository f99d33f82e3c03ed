/** What there is too much of, and when to come again (decisions, "429 body"). */
import type { Rate } from "#domain/account/Limits.ts"
import type { QueueFull } from "#src/features/requests/Requests.ts"
import * as RateLimitFields from "./RateLimitFields.ts"
import { Refusal } from "./Refusal.ts"

interface Exceeded {
  readonly code?: "RATE_LIMITED" | "UPSTREAM_RATE_LIMITED"
  readonly scope: "account" | "key" | "model" | "node" | "address"
  readonly limit: number
  /** Seconds; `null` for a limit of what may be there at once. */
  readonly window: number | null
  readonly retryAfterSeconds: number
  readonly error?: string
}

const limited = (
  { code = "RATE_LIMITED", error = "Too many requests.", limit, retryAfterSeconds, scope, window }: Exceeded,
  fields: Partial<RateLimitFields.Fields>
): Refusal =>
  new Refusal({
    status: 429,
    error,
    details: { code, retryAfter: retryAfterSeconds, scope, limit, window },
    headers: { "retry-after": String(retryAfterSeconds), ...fields }
  })

/** @param fields of all rates that the call is under. */
export const rateExceeded = (
  { nextInSeconds, rate, scope }: RateLimitFields.Left,
  fields: RateLimitFields.Fields
): Refusal =>
  limited(
    { scope, limit: rate.requests, window: rate.windowSeconds, retryAfterSeconds: nextInSeconds },
    fields
  )

/** Of the bytes of bodies. */
export const bytesExceeded = ({
  rate,
  retryAfterSeconds,
  scope
}: {
  readonly scope: "account" | "address"
  readonly rate: Rate
  readonly retryAfterSeconds: number
}): Refusal =>
  limited(
    {
      error: "Too many bytes are sent.",
      scope,
      limit: rate.requests,
      window: rate.windowSeconds,
      retryAfterSeconds
    },
    {}
  )

/** Of a batch as a whole. The call carries the fields of its rates as it is. */
export const batchExceeded = ({ nextInSeconds, rate, scope }: RateLimitFields.Left): Refusal =>
  limited(
    {
      error: "Too many requests: each one of the batch counts. Send it later, or fewer at once.",
      scope,
      limit: rate.requests,
      window: rate.windowSeconds,
      retryAfterSeconds: nextInSeconds
    },
    {}
  )

interface Full {
  /** How many there may be at once. */
  readonly limit: number
  readonly retryAfterSeconds: number
}

/** Full because the model's providers refuse, their word is passed on (decisions, "Upstream 429"). */
export const queueFull = ({ isUpstream, limit, retryAfterSeconds }: QueueFull): Refusal =>
  limited(
    {
      code: isUpstream ? "UPSTREAM_RATE_LIMITED" : "RATE_LIMITED",
      error: isUpstream
        ? "The model's queue is full, and its provider takes no more for now."
        : "The model's queue is full.",
      scope: "model",
      limit,
      window: null,
      retryAfterSeconds
    },
    RateLimitFields.ofFull("model-queue", limit, retryAfterSeconds)
  )

export const tooManyOpenRequests = ({ limit, retryAfterSeconds }: Full): Refusal =>
  limited(
    { scope: "account", limit, window: null, retryAfterSeconds, error: "Too many requests have not ended." },
    RateLimitFields.ofFull("open-requests", limit, retryAfterSeconds)
  )

export const tooMuchInput = ({ limit, retryAfterSeconds }: Full): Refusal =>
  limited(
    {
      scope: "account",
      limit,
      window: null,
      retryAfterSeconds,
      error: "Too much input of the account is being read at once."
    },
    {}
  )

export const tooManyExports = ({ limit, retryAfterSeconds }: Full): Refusal =>
  limited(
    { scope: "account", limit, window: null, retryAfterSeconds },
    RateLimitFields.ofFull("exports", limit, retryAfterSeconds)
  )

export const tooManyStreams = ({ limit, retryAfterSeconds }: Full): Refusal =>
  limited(
    { scope: "account", limit, window: null, retryAfterSeconds, error: "Too many event streams are open." },
    RateLimitFields.ofFull("streams", limit, retryAfterSeconds)
  )

/** `limit` in bytes that this process holds for the account's answers. */
export const tooManyUnread = ({ limit, retryAfterSeconds }: Full): Refusal =>
  limited(
    {
      scope: "account",
      limit,
      window: null,
      retryAfterSeconds,
      error: "Too many large answers to this account are under way: read them, or ask for fewer at once."
    },
    {}
  )

export const tooManyToolCalls = ({ limit, retryAfterSeconds }: Full): Refusal =>
  limited(
    { scope: "account", limit, window: null, retryAfterSeconds, error: "Too many tool calls are under way." },
    RateLimitFields.ofFull("tool-calls", limit, retryAfterSeconds)
  )
