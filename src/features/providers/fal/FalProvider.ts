/** Models on fal's queue (https://docs.fal.ai/documentation/model-apis/inference/queue). */
import { isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import { Effect } from "effect"
import * as JobReport from "../JobReport.ts"
import * as QueuedJobs from "../QueuedJobs.ts"
import * as ErrorOutcomes from "../ErrorOutcomes.ts"
import * as FalFailure from "./FalFailure.ts"
import * as FalStream from "./FalStream.ts"
import * as FalUrls from "./FalUrls.ts"
import { Options } from "./Options.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import * as OutputChunks from "../OutputChunks.ts"
import type { Provider } from "../Provider.ts"
import type { ProviderAnswer } from "../ProviderHttp.ts"
import * as Seconds from "../Seconds.ts"

/** The runner's log, oldest first; `null` unless requested. */
const linesOf = (logs: Json | undefined): ReadonlyArray<string> =>
  Array.isArray(logs)
    ? logs.flatMap((log: Json) =>
        isObject(log) && typeof log["message"] === "string" ? ErrorOutcomes.clean(log["message"]) || [] : []
      )
    : []

/** For a `COMPLETED` request, with the status that said so. */
const ofResult = (
  answer: ProviderAnswer,
  status: JsonObject,
  logs: ReadonlyArray<string>
): Effect.Effect<JobReport.JobReport, JobReport.Unclear> => {
  if (ErrorOutcomes.isSuccess(answer)) {
    if (answer.json === undefined) return JobReport.ofForm(answer)
    const seconds = Seconds.measured(status["metrics"], "inference_time")
    const succeeded: ProviderOutcome = { _tag: "Succeeded", output: answer.json, delivered: null, ...seconds }
    return Effect.succeed(JobReport.ended(succeeded, logs))
  }
  const failure = FalFailure.of(answer, (status["error"] ?? null) !== null)
  return failure === null ? JobReport.ofAnswer(answer) : Effect.succeed(JobReport.ended(failure, logs))
}

const requestUrl = ({ base, options }: QueuedJobs.Access<Options>, jobId: string): string =>
  FalUrls.request(base, options.app, jobId)

const makeQueued = QueuedJobs.make({
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
          return yield* JobReport.ofForm(answer)
      }
    }),

  cancellation: (access, jobId) => ({ method: "PUT", url: `${requestUrl(access, jobId)}/cancel` })
})

/** A model without a stream of its output is run through the queue. */
export const make = Effect.gen(function* () {
  const queued = yield* makeQueued
  const stream = yield* FalStream.make
  const provider: Provider = {
    ...queued,
    run: Effect.fn("FalProvider.run")(function* (job, control) {
      const chunks = OutputChunks.make(job, control)
      const streamed = chunks === null ? null : yield* stream(job, chunks, control)
      return streamed ?? (yield* queued.run(job, control))
    })
  }
  return provider
})
