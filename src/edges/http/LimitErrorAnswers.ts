/** Error answers for what exceeds a rate or another limit, with the time to retry after (decisions, "429 body"). */
import type { Rate } from "#domain/account/Limits.ts"
import type { QueueFull } from "#src/features/requests/Requests.ts"
import * as RateLimitFields from "./RateLimitFields.ts"
import { ErrorAnswer } from "./ErrorAnswer.ts"

interface Exceeded {
  readonly code?: "RATE_LIMITED" | "UPSTREAM_RATE_LIMITED"
  readonly scope: "account" | "key" | "model" | "node" | "address"
  readonly limit: number
  /** Seconds; `null` for a limit on what may exist at once. */
  readonly window?: number | null
  readonly retryAfterSeconds: number
  readonly error?: string
}

const limited = (
  {
    code = "RATE_LIMITED",
    error = "Too many requests.",
    limit,
    retryAfterSeconds,
    scope,
    window = null
  }: Exceeded,
  fields: Partial<RateLimitFields.Fields> = {}
): ErrorAnswer =>
  new ErrorAnswer({
    status: 429,
    error,
    details: { code, retryAfter: retryAfterSeconds, scope, limit, window },
    headers: { "retry-after": String(retryAfterSeconds), ...fields }
  })

const ofRate = ({ requests, windowSeconds }: Rate) => ({ limit: requests, window: windowSeconds })

/** @param fields of all rates that apply to the call. */
export const rateExceeded = (
  { nextInSeconds, rate, scope }: RateLimitFields.Left,
  fields: RateLimitFields.Fields
): ErrorAnswer => limited({ scope, ...ofRate(rate), retryAfterSeconds: nextInSeconds }, fields)

/** For the bytes of bodies. */
export const bytesExceeded = ({
  rate,
  retryAfterSeconds,
  scope
}: {
  readonly scope: "account" | "address"
  readonly rate: Rate
  readonly retryAfterSeconds: number
}): ErrorAnswer => limited({ error: "Too many bytes are sent.", scope, ...ofRate(rate), retryAfterSeconds })

/** For calls without a valid key, of one address. */
export const addressExceeded = (error: string, rate: Rate, retryAfterSeconds: number): ErrorAnswer =>
  limited({ error, scope: "address", ...ofRate(rate), retryAfterSeconds })

/** For a batch as a whole. The answer to the call has the fields of its rates already. */
export const batchExceeded = ({ nextInSeconds, rate, scope }: RateLimitFields.Left): ErrorAnswer =>
  limited({
    error: "Too many requests: each one of the batch counts. Send it later, or fewer at once.",
    scope,
    ...ofRate(rate),
    retryAfterSeconds: nextInSeconds
  })

interface Full {
  /** The most at once. */
  readonly limit: number
  readonly retryAfterSeconds: number
}

/** If the queue is full because the model's providers refuse, their refusal is passed on (decisions, "Upstream 429"). */
export const queueFull = ({ isUpstream, limit, retryAfterSeconds }: QueueFull): ErrorAnswer =>
  limited(
    {
      code: isUpstream ? "UPSTREAM_RATE_LIMITED" : "RATE_LIMITED",
      error: isUpstream
        ? "The model's queue is full, and its provider accepts no more runs for now."
        : "The model's queue is full.",
      scope: "model",
      limit,
      retryAfterSeconds
    },
    RateLimitFields.ofFull("model-queue", limit, retryAfterSeconds)
  )

/** @param policy the name in the rate-limit fields; without one the answer has no such fields. */
const accountFull =
  (policy: string | null, error?: string) =>
  ({ limit, retryAfterSeconds }: Full): ErrorAnswer =>
    limited(
      { scope: "account", limit, retryAfterSeconds, ...(error !== undefined && { error }) },
      policy === null ? {} : RateLimitFields.ofFull(policy, limit, retryAfterSeconds)
    )

export const tooManyOpenRequests = accountFull("open-requests", "Too many requests have not ended.")

export const tooManyTests = (rate: Rate, retryAfterSeconds: number): ErrorAnswer =>
  limited({ error: "Too many tests of webhooks.", scope: "account", ...ofRate(rate), retryAfterSeconds })

export const tooMuchInput = accountFull(null, "Too much input of the account is being read at once.")

export const tooManyExports = accountFull("exports")

export const tooManyStreams = accountFull("streams", "Too many event streams are open.")

/** `limit` in bytes that this process holds for the account's answers. */
export const tooManyUnread = accountFull(
  null,
  "Too many large answers to this account are in progress: read them, or request fewer at once."
)

export const tooManyToolCalls = accountFull("tool-calls", "Too many tool calls are in progress.")
