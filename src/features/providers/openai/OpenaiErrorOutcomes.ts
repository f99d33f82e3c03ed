/**
 * The meaning of OpenAI's errors beyond their status (https://developers.openai.com/docs/guides/error-codes,
 * https://platform.openai.com/docs/guides/rate-limits): an `error` object with `message`, `type` and `code`.
 */
import { Clock, Effect } from "effect"
import { isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import type { ProviderAnswer } from "../ProviderHttp.ts"
import * as ErrorOutcomes from "../ErrorOutcomes.ts"
import * as UpstreamErrors from "../UpstreamErrors.ts"
import * as Durations from "./Durations.ts"

/** Sent with 429 or 400, where others use 402. */
const unpaid: ReadonlySet<Json | undefined> = new Set([
  "insufficient_quota",
  "billing_hard_limit_reached",
  "billing_not_active"
])

/** Some servers have the members of `error` at the top level. */
const errorIn = (json: Json | undefined): JsonObject => {
  if (!isObject(json)) return {}
  const { error } = json
  return isObject(error) ? error : json
}

/** ms until the limit that refused is restored; `null` if no header says it. */
const resetMs = (headers: ProviderAnswer["headers"], type: Json | undefined): number | null => {
  const resets = ["requests", "tokens"].flatMap((kind) => {
    const isIt = type === kind || headers[`x-ratelimit-remaining-${kind}`] === "0"
    return (isIt && Durations.parse(headers[`x-ratelimit-reset-${kind}`] ?? "")) || []
  })
  return resets.length === 0 ? null : Math.max(...resets)
}

const askedMs = (headers: ProviderAnswer["headers"], type: Json | undefined, now: number): number | null => {
  const precise = Number.parseFloat(headers["retry-after-ms"] ?? "")
  if (precise >= 0) return precise
  return ErrorOutcomes.retryAfterMs(headers, now) ?? resetMs(headers, type)
}

/** For any status but 2xx. */
export const ofAnswer = Effect.fnUntraced(function* (answer: ProviderAnswer) {
  const { headers, json, status } = answer
  const { code, type } = errorIn(json)
  const asked = askedMs(headers, type, yield* Clock.currentTimeMillis)
  if (unpaid.has(code) || unpaid.has(type))
    return {
      _tag: "RateLimited",
      retryAfterMs: Math.max(asked ?? 0, ErrorOutcomes.unpaidMs)
    } satisfies ProviderOutcome
  if (status === 429 && asked !== null)
    return { _tag: "RateLimited", retryAfterMs: asked } satisfies ProviderOutcome
  return yield* ErrorOutcomes.ofAnswer(answer)
})

const server = /server|internal|unavailable|overload|timeout|engine/i
const limit = /rate.?limit|quota|too.?many|^(?:requests|tokens)$/i
const refused =
  /invalid|bad.?request|unsupported|not.?found|context.?length|content.?(?:policy|filter)|permission|auth/i

const asStatus = (value: Json | undefined): number | null => {
  const status = typeof value === "number" || typeof value === "string" ? Number(value) : Number.NaN
  return Number.isInteger(status) && status >= 400 && status <= 599 ? status : null
}

/** The status that an error within a stream would have had: its code, or what its type implies. `null` if it says neither. */
const statusOf = (error: JsonObject): number | null => {
  const { code, status, status_code: statusCode, type } = error
  const told = asStatus(code) ?? asStatus(status) ?? asStatus(statusCode)
  if (told !== null) return told
  const words = [type, code, status].filter((word) => typeof word === "string").join(" ")
  if (limit.test(words)) return 429
  if (server.test(words)) return 500
  return refused.test(words) ? 400 : null
}

/** The status that the error names, or that its type has. */
const toldStatus = ({ code, type }: JsonObject): number | undefined =>
  asStatus(code) ?? (type === "invalid_request_error" ? 400 : undefined)

/**
 * For an error instead of a chunk. A server fault may pass. After a part of the answer the model has run and failed; before that the
 * error is an answer to the call, and another provider may give a better one.
 */
export const ofStreamed = (error: Json, hasContent: boolean): Effect.Effect<ProviderOutcome> => {
  const status = isObject(error) ? statusOf(error) : null
  if (status !== null && (status >= 500 || status === 429 || !hasContent))
    return ofAnswer({ status, headers: {}, json: { error }, fault: null })
  if (hasContent) {
    const told = isObject(error) ? toldStatus(error) : undefined
    return Effect.succeed(ErrorOutcomes.modelFailed({ error }, told))
  }
  const said = ErrorOutcomes.saidIn(error)
  const message = said === null ? "The provider failed." : `The provider failed: ${said}`
  return Effect.succeed(ErrorOutcomes.failed(message, true, UpstreamErrors.of({ error })))
}
