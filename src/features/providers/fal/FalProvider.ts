/** Models on fal's queue (https://docs.fal.ai/documentation/model-apis/inference/queue). */
import { isObject } from "#domain/CanonicalJson.ts"
import { Effect } from "effect"
import * as JobReport from "../JobReport.ts"
import * as QueuedJobs from "../QueuedJobs.ts"
import * as Refusals from "../Refusals.ts"
import * as FalReports from "./FalReports.ts"
import * as FalUrls from "./FalUrls.ts"
import { Options } from "./Options.ts"

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
      if (!Refusals.isSuccess(answer)) return yield* JobReport.ofAnswer(answer)
      const status = isObject(answer.json) ? answer.json : {}
      const logs = FalReports.linesOf(status["logs"])
      switch (status["status"]) {
        case "IN_QUEUE":
          return JobReport.waiting
        case "IN_PROGRESS":
          return { ...JobReport.running, logs }
        case "COMPLETED":
          return yield* FalReports.ofResult(yield* access.call({ method: "GET", url }), status, logs)
        default:
          return yield* JobReport.unclear(Refusals.babble)
      }
    }),

  cancellation: (access, jobId) => ({ method: "PUT", url: `${requestUrl(access, jobId)}/cancel` })
})
