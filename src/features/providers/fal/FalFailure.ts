/** What answers of fal other than 2xx say about a run (https://docs.fal.ai/errors). */
import { isObject } from "#domain/CanonicalJson.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import * as ErrorOutcomes from "../ErrorOutcomes.ts"
import * as UpstreamErrors from "../UpstreamErrors.ts"
import type { ProviderAnswer } from "../ProviderHttp.ts"

/** This server is the client that disconnected or gave up. */
const ended: ReadonlySet<string> = new Set(["client_cancelled", "client_disconnected"])

/** Failures of the platform and its runners: a later try, or another provider, may succeed. */
const transient: ReadonlySet<string> = new Set([
  "request_timeout",
  "startup_timeout",
  "runner_scheduling_failure",
  "runner_connection_timeout",
  "runner_disconnected",
  "runner_connection_refused",
  "runner_connection_error",
  "runner_incomplete_response",
  "runner_server_error",
  "internal_error"
])

/** Refusals of the caller, not of the input: they say nothing about the run and may pass. */
const ofCaller: ReadonlySet<number> = new Set([401, 402, 403, 404, 408, 410, 425, 429])

const stopped: ProviderOutcome = { _tag: "Stopped" }

const errorTypeOf = ({ headers, json }: ProviderAnswer): string | null => {
  const type = isObject(json) ? json["error_type"] : undefined
  return typeof type === "string" ? type : (headers["x-fal-error-type"] ?? null)
}

/** For a result other than 2xx; `hasFailed` is what the status said. `null` if it says nothing about the run. */
export const of = (answer: ProviderAnswer, isToldFailed: boolean): ProviderOutcome | null => {
  const { headers, json, status } = answer
  const type = errorTypeOf(answer)
  const upstream = UpstreamErrors.of({ type }, status)
  if (type !== null && ended.has(type)) return stopped
  if (type !== null && transient.has(type))
    return ErrorOutcomes.failed(`fal could not run the request (${type}).`, true, upstream)
  if (type === "bad_request")
    return ErrorOutcomes.failed("fal does not take the request (bad_request).", false, upstream)
  if (headers["x-fal-retryable"] === "true")
    return ErrorOutcomes.failed(`The model failed for now (status ${status}).`, true, upstream)
  const isListed = isObject(json) && Array.isArray(json["detail"])
  const isRefused = status >= 400 && status < 500 && (isToldFailed || !ofCaller.has(status))
  if (isListed || isRefused) return ErrorOutcomes.modelFailed(json, status)
  return isToldFailed ? ErrorOutcomes.failed(`The model failed with status ${status}.`, true, upstream) : null
}
