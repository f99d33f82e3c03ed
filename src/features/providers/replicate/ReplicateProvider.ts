/**
 * Models at Replicate (https://replicate.com/docs/reference/http). A prediction is created at least once: if this
 * process dies before its id is recorded, the retry creates another one, and `Cancel-After` ends the first at the
 * model's time limit.
 */
import { Effect } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { Model } from "#domain/catalog/Model.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import * as JobReport from "../JobReport.ts"
import type { ProviderAnswer } from "../ProviderHttp.ts"
import * as QueuedJobs from "../QueuedJobs.ts"
import * as Refusals from "../Refusals.ts"
import { Options } from "./Options.ts"
import * as Prediction from "./Prediction.ts"

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
  const seconds = /\b(\d{1,6}) ?s(?:ec|\b)/.exec(Refusals.saidIn(json) ?? "")?.[1]
  return status === 429 && headers["retry-after"] === undefined && seconds !== undefined
    ? Effect.succeed({ _tag: "RateLimited", retryAfterMs: Number(seconds) * 1_000 })
    : Refusals.ofAnswer(answer)
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
    body: { ...(version !== undefined && { version }), input, ...webhookAt(callback) }
  }),

  refusal,

  jobIdIn: (_access, answer) => Prediction.read(answer)?.id ?? null,

  asking: (id) =>
    Effect.fnUntraced(function* (access) {
      const answer = yield* access.call({ method: "GET", url: urlOf(access, id) })
      if (!Refusals.isSuccess(answer)) return yield* JobReport.ofAnswer(answer)
      const prediction = Prediction.read(answer.json)
      return prediction === null ? yield* JobReport.unclear(Refusals.babble) : Prediction.reportOf(prediction)
    }),

  cancellation: (access, id) => ({ method: "POST", url: `${urlOf(access, id)}/cancel` })
})
