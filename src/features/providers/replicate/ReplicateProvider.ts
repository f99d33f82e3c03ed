/**
 * Models at Replicate (https://replicate.com/docs/reference/http). A prediction is created at least once: if this
 * process dies before its id is recorded, the retry creates another one, and `Cancel-After` ends the first at the
 * model's time limit.
 */
import { Effect, Option, Schema } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { Model } from "#domain/catalog/Model.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import * as JobReport from "../JobReport.ts"
import type { ProviderAnswer } from "../ProviderHttp.ts"
import * as QueuedJobs from "../QueuedJobs.ts"
import * as ErrorOutcomes from "../ErrorOutcomes.ts"
import { Options } from "./Options.ts"
import * as PredictionStream from "./PredictionStream.ts"
import { fractionOf, linesOf } from "../LogText.ts"
import * as ReportedOutput from "../ReportedOutput.ts"
import * as Seconds from "../Seconds.ts"

/**
 * Replicate's prediction object (https://replicate.com/docs/reference/http) and its statuses
 * (https://replicate.com/docs/topics/predictions/lifecycle).
 */
const Prediction = Schema.Struct({
  /** Becomes part of addresses. */
  id: Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]{1,128}$/)),
  status: Schema.Literals(["starting", "processing", "succeeded", "failed", "canceled", "aborted"]),
  output: Schema.optionalKey(Schema.Json),
  error: Schema.optionalKey(Schema.Json),
  /** All lines so far, as one text. */
  logs: Schema.optionalKey(Schema.NullOr(Schema.String)),
  metrics: Schema.optionalKey(Schema.Json),
  /** Input, output and logs are deleted an hour after the end. */
  data_removed: Schema.optionalKey(Schema.NullOr(Schema.Boolean))
})
type Prediction = typeof Prediction.Type & Pick<ReportedOutput.ReportedOutput, "text">

const decode = Schema.decodeUnknownOption(Prediction)

/** `null` if malformed. The output is passed on as it came. */
export const read = (json: Json | undefined): Prediction | null => {
  const prediction = Option.getOrNull(decode(json))
  return prediction?.output === undefined ? prediction : { ...prediction, ...ReportedOutput.of(json) }
}

const removed: ProviderOutcome = {
  _tag: "Lost",
  message: "Replicate deleted the prediction's output before it could be read."
}
const aborted = ErrorOutcomes.failed(
  "Replicate could not start the prediction within the model's time limit.",
  false
)

export const reportOf = (prediction: Prediction): JobReport.JobReport => {
  const { data_removed: isRemoved, error, metrics, output = null, status, text } = prediction
  const logs = prediction.logs ?? ""
  const ended = (outcome: ProviderOutcome) => JobReport.ended(outcome, linesOf(logs, true))
  switch (status) {
    case "starting":
      return JobReport.waiting
    case "processing":
      return { _tag: "Running", fraction: fractionOf(logs), logs: linesOf(logs, false) }
    case "succeeded":
      return ended(
        isRemoved === true && output === null
          ? removed
          : {
              _tag: "Succeeded",
              output,
              ...(text !== undefined && { text }),
              delivered: null,
              ...Seconds.measured(metrics, "predict_time")
            }
      )
    case "failed":
      return ended(ErrorOutcomes.modelFailed(error))
    case "canceled":
      return ended({ _tag: "Stopped" })
    case "aborted":
      return ended(aborted)
  }
}

/** The shortest `Cancel-After` that Replicate accepts, s. */
const shortestDeadline = 5

const creationPath = ({ deployment, model }: Options): string => {
  if (model !== undefined) return `/models/${model}/predictions`
  return deployment === undefined ? "/predictions" : `/deployments/${deployment}/predictions`
}

/** Never from an address in an answer. */
const urlOf = ({ base }: QueuedJobs.Access<Options>, id: string): string =>
  `${base}/predictions/${encodeURIComponent(id)}`

const deadlineOf = ({ timeoutSeconds }: Model): string =>
  `${Math.ceil(Math.max(timeoutSeconds, shortestDeadline))}s`

/** Replicate refuses webhooks without TLS. */
const webhookAt = (callback: string | null): { readonly [name: string]: Json } =>
  callback?.startsWith("https://") === true
    ? { webhook: callback, webhook_events_filter: ["start", "completed"] }
    : {}

/** A 429 without `Retry-After` says it in its text: `Your rate limit resets in ~30s.` */
const refusal = (answer: ProviderAnswer): Effect.Effect<ProviderOutcome> => {
  const { headers, json, status } = answer
  const seconds = /\b(\d{1,6}) ?s(?:ec|\b)/.exec(ErrorOutcomes.saidIn(json) ?? "")?.[1]
  return status === 429 && headers["retry-after"] === undefined && seconds !== undefined
    ? Effect.succeed({ _tag: "RateLimited", retryAfterMs: Number(seconds) * 1_000 })
    : ErrorOutcomes.ofAnswer(answer)
}

export const make = QueuedJobs.make({
  adapter: "replicate",
  options: Options,
  defaultUrl: "https://api.replicate.com/v1",
  scheme: "Bearer",

  submission: ({ base, options: { version, ...options } }, { input, model }, callback) => ({
    method: "POST",
    url: base + creationPath(options),
    headers: { "cancel-after": deadlineOf(model) },
    body: {
      ...(version !== undefined && { version }),
      input,
      ...(model.output !== undefined && { stream: true }),
      ...webhookAt(callback)
    }
  }),

  refusal,

  jobIdIn: (_access, answer) => read(answer)?.id ?? null,

  asking: (id) =>
    Effect.fnUntraced(function* (access) {
      const answer = yield* access.call({ method: "GET", url: urlOf(access, id) })
      if (!ErrorOutcomes.isSuccess(answer)) return yield* JobReport.ofAnswer(answer)
      const prediction = read(answer.json)
      return prediction === null ? yield* JobReport.ofForm(answer) : reportOf(prediction)
    }),

  cancellation: (access, id) => ({ method: "POST", url: `${urlOf(access, id)}/cancel` }),

  follow: (access, answer, chunks) => {
    const url = PredictionStream.urlIn(answer, access.base)
    return url === null ? null : PredictionStream.follow(access, url, chunks)
  }
})
