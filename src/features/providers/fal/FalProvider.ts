/** Models on fal's queue (https://docs.fal.ai/documentation/model-apis/inference/queue). */
import { isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import { Effect } from "effect"
import * as JobReport from "../JobReport.ts"
import * as QueuedJobs from "../QueuedJobs.ts"
import * as ErrorOutcomes from "../ErrorOutcomes.ts"
import * as FalUrls from "./FalUrls.ts"
import { Options } from "./Options.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import type { ProviderAnswer } from "../ProviderHttp.ts"
import * as Seconds from "../Seconds.ts"

/** The runner's log, oldest first; `null` unless requested. */
const linesOf = (logs: Json | undefined): ReadonlyArray<string> =>
  Array.isArray(logs)
    ? logs.flatMap((log: Json) =>
        isObject(log) && typeof log["message"] === "string" ? ErrorOutcomes.clean(log["message"]) || [] : []
      )
    : []

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
const failureOf = (answer: ProviderAnswer, isToldFailed: boolean): ProviderOutcome | null => {
  const { headers, json, status } = answer
  const type = errorTypeOf(answer)
  if (type !== null && ended.has(type)) return stopped
  if (type !== null && transient.has(type))
    return ErrorOutcomes.failed(`fal could not run the request (${type}).`, true)
  if (type === "bad_request")
    return ErrorOutcomes.failed("fal does not take the request (bad_request).", false)
  if (headers["x-fal-retryable"] === "true")
    return ErrorOutcomes.failed(`The model failed for now (status ${status}).`, true)
  const isListed = isObject(json) && Array.isArray(json["detail"])
  const isRefused = status >= 400 && status < 500 && (isToldFailed || !ofCaller.has(status))
  if (isListed || isRefused) return ErrorOutcomes.modelFailed(json)
  return isToldFailed ? ErrorOutcomes.failed(`The model failed with status ${status}.`, true) : null
}

/** For a `COMPLETED` request, with the status that said so. */
const ofResult = (
  answer: ProviderAnswer,
  status: JsonObject,
  logs: ReadonlyArray<string>
): Effect.Effect<JobReport.JobReport, JobReport.Unclear> => {
  if (ErrorOutcomes.isSuccess(answer)) {
    if (answer.json === undefined) return JobReport.unclear(ErrorOutcomes.babble)
    const seconds = Seconds.measured(status["metrics"], "inference_time")
    const succeeded: ProviderOutcome = { _tag: "Succeeded", output: answer.json, delivered: null, ...seconds }
    return Effect.succeed(JobReport.ended(succeeded, logs))
  }
  const failure = failureOf(answer, (status["error"] ?? null) !== null)
  return failure === null ? JobReport.ofAnswer(answer) : Effect.succeed(JobReport.ended(failure, logs))
}

const requestUrl = ({ base, options }: QueuedJobs.Access<Options>, jobId: string): string =>
  FalUrls.request(base, options.app, jobId)

export const make = QueuedJobs.make({
  adapter: "fal",
  options: Options,
  defaultUrl: "https://queue.fal.run",
  scheme: "Key",

  submission: ({ base, options }, { input, model }, callback) => ({
    method: "POST",
    url: FalUrls.submission(base, options.app, callback),
    // A request that has not begun by then is given up and must not begin later.
    headers: { "x-fal-request-timeout": String(model.timeoutSeconds) },
    body: input
  }),

  jobIdIn: ({ base, options }, answer) =>
    isObject(answer) ? FalUrls.jobIdOf(base, options.app, answer) : null,

  asking: (jobId) =>
    Effect.fnUntraced(function* (access) {
      const url = requestUrl(access, jobId)
      const answer = yield* access.call({ method: "GET", url: `${url}/status?logs=1` })
      if (!ErrorOutcomes.isSuccess(answer)) return yield* JobReport.ofAnswer(answer)
      const status = isObject(answer.json) ? answer.json : {}
      const logs = linesOf(status["logs"])
      switch (status["status"]) {
        case "IN_QUEUE":
          return JobReport.waiting
        case "IN_PROGRESS":
          return { ...JobReport.running, logs }
        case "COMPLETED":
          return yield* ofResult(yield* access.call({ method: "GET", url }), status, logs)
        default:
          return yield* JobReport.unclear(ErrorOutcomes.babble)
      }
    }),

  cancellation: (access, jobId) => ({ method: "PUT", url: `${requestUrl(access, jobId)}/cancel` })
})
