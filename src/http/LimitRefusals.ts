/** What there is too much of, and when to come again (decisions, "429 body"). */
import type { Standing } from "#src/accounts/RateLimits.ts"
import * as RateLimitFields from "./RateLimitFields.ts"
import { Refusal } from "./Refusal.ts"

interface Exceeded {
  readonly scope: "account" | "key" | "model"
  readonly limit: number
  /** Seconds; `null` for a limit of what may be there at once. */
  readonly window: number | null
  readonly retryAfterSeconds: number
  readonly error?: string
}

const limited = (
  { error = "Too many requests.", limit, retryAfterSeconds, scope, window }: Exceeded,
  fields: RateLimitFields.Fields
): Refusal =>
  new Refusal({
    status: 429,
    error,
    details: { code: "RATE_LIMITED", retryAfter: retryAfterSeconds, scope, limit, window },
    headers: { "retry-after": String(retryAfterSeconds), ...fields }
  })

/** @param fields of all rates that the call is under. */
export const rateExceeded = (
  { nextInSeconds, rate, scope }: Standing,
  fields: RateLimitFields.Fields
): Refusal =>
  limited(
    { scope, limit: rate.requests, window: rate.windowSeconds, retryAfterSeconds: nextInSeconds },
    fields
  )

interface Full {
  /** How many there may be at once. */
  readonly limit: number
  readonly retryAfterSeconds: number
}

export const queueFull = ({ limit, retryAfterSeconds }: Full): Refusal =>
  limited(
    { scope: "model", limit, window: null, retryAfterSeconds, error: "The model's queue is full." },
    RateLimitFields.ofFull("model-queue", limit, retryAfterSeconds)
  )

export const tooManyOpenRequests = ({ limit, retryAfterSeconds }: Full): Refusal =>
  limited(
    { scope: "account", limit, window: null, retryAfterSeconds, error: "Too many requests have not ended." },
    RateLimitFields.ofFull("open-requests", limit, retryAfterSeconds)
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
