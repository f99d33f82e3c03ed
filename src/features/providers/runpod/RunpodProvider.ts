/** Queue-based endpoints of Runpod Serverless (https://docs.runpod.io/serverless/endpoints/operation-reference). */
import { isObject } from "#domain/CanonicalJson.ts"
import { Effect } from "effect"
import * as JobReport from "../JobReport.ts"
import * as QueuedJobs from "../QueuedJobs.ts"
import * as ErrorOutcomes from "../ErrorOutcomes.ts"
import { Options } from "./Options.ts"
import * as RunpodJobs from "./RunpodJobs.ts"

const urlOf = ({ base, options }: QueuedJobs.Access<Options>, operation: string): string =>
  `${base}/${options.endpointId}/${operation}`

export const make = QueuedJobs.make({
  adapter: "runpod",
  options: Options,
  defaultUrl: "https://api.runpod.ai/v2",
  scheme: "Bearer",

  submission: (access, job, callback) => ({
    method: "POST",
    url: urlOf(access, "run"),
    body: RunpodJobs.bodyOf(job, access.options, callback)
  }),

  jobIdIn: (_access, answer) => {
    const id = isObject(answer) ? answer["id"] : undefined
    return RunpodJobs.isJobId(id) ? id : null
  },

  asking: (jobId) => {
    const lines: Array<string> = []
    return Effect.fnUntraced(function* (access) {
      const answer = yield* access.call({ method: "GET", url: urlOf(access, `status/${jobId}`) })
      if (!ErrorOutcomes.isSuccess(answer)) return yield* JobReport.ofAnswer(answer)
      return RunpodJobs.reportOf(answer.json, lines) ?? (yield* JobReport.ofForm(answer))
    })
  },

  cancellation: (access, jobId) => ({ method: "POST", url: urlOf(access, `cancel/${jobId}`) })
})
