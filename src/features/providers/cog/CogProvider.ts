/**
 * Containers built by Cog, over their HTTP API (https://cog.run/http). Only a webhook reports the end of a prediction.
 * Predictions cannot be queried, but the server reports whether it has any. The binding's address is that of one
 * container.
 */
import { Effect, Option, Redacted, Schema } from "effect"
import type { ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import { type Callback, type CallbackAddress, Callbacks } from "../Callbacks.ts"
import * as JobReport from "../JobReport.ts"
import * as Polling from "../Polling.ts"
import type { Job, Provider, RunControl } from "../Provider.ts"
import type { NoAnswer } from "../NoAnswer.ts"
import { type Call, ProviderHttp } from "../ProviderHttp.ts"
import * as ErrorOutcomes from "../ErrorOutcomes.ts"
import * as Seconds from "../Seconds.ts"
import { Options } from "./Options.ts"
import * as Prediction from "./Prediction.ts"

type Secret = Redacted.Redacted | null

/** Wait before the next try at a busy server, and at one that loads its model, ms. */
const busyRetryMs = 1_000
const startingRetryMs = 5_000

const limitedFor = (retryAfterMs: number): ProviderOutcome => ({ _tag: "RateLimited", retryAfterMs })

const decodeOptions = Schema.decodeUnknownOption(Options)

const slotsOf = ({ options }: ProviderBinding): number =>
  Option.match(decodeOptions(options ?? {}), { onNone: () => 1, onSome: ({ slots = 1 }) => slots })

const predictionId = ({ attempt, requestId }: Pick<Job, "requestId" | "attempt">) => `${requestId}-${attempt}`

export const make = Effect.gen(function* () {
  const http = yield* ProviderHttp
  const callbacks = yield* Callbacks
  const follow = yield* Polling.make

  const call = (binding: ProviderBinding, secret: Secret, path: string, rest: Omit<Call, "url">) =>
    http.call({
      ...rest,
      url: `${(binding.url ?? "").replace(/\/$/, "")}${path}`,
      headers: {
        ...rest.headers,
        ...(secret !== null && { authorization: `Bearer ${Redacted.value(secret)}` })
      }
    })

  const health = (binding: ProviderBinding, secret: Secret) =>
    Effect.map(call(binding, secret, "/health-check", { method: "GET" }), (answer) => ({
      answer,
      status: Prediction.readHealth(answer.json)
    }))

  /** An idle server has ended or lost the prediction; its webhook may still arrive. A loading one was restarted. */
  const poll = Effect.fnUntraced(
    function* (binding: ProviderBinding, secret: Secret) {
      const { answer, status } = yield* health(binding, secret)
      switch (status) {
        case "BUSY":
          return slotsOf(binding) > 1 ? JobReport.taken : JobReport.running
        case "READY":
        case "UNHEALTHY":
        case "UNKNOWN":
          return slotsOf(binding) > 1 ? JobReport.taken : yield* JobReport.unclear(ErrorOutcomes.lost)
        case "STARTING":
        case "SETUP_FAILED":
        case "DEFUNCT":
          return JobReport.ended(ErrorOutcomes.lost)
        case null:
          return ErrorOutcomes.isSuccess(answer)
            ? yield* JobReport.unclear(ErrorOutcomes.babble)
            : yield* Effect.flatMap(ErrorOutcomes.ofAnswer(answer), JobReport.unclear)
      }
    },
    Effect.catchTag("NoAnswer", JobReport.ofNoAnswer)
  )

  /** 404: the prediction has ended, or is unknown. */
  const cancel = Effect.fnUntraced(
    function* (
      binding: ProviderBinding,
      secret: Secret,
      id: string
    ): Effect.fn.Return<Polling.Heard, JobReport.Unclear | NoAnswer> {
      const answer = yield* call(binding, secret, `/predictions/${id}/cancel`, { method: "POST" })
      if (answer.status >= 500 || answer.status === 429) {
        yield* Effect.flatMap(ErrorOutcomes.ofAnswer(answer), JobReport.unclear)
      }
      return answer.status === 404 ? "unknown" : "heard"
    },
    Effect.catchTag("NoAnswer", JobReport.ofNoAnswer)
  )

  const readFor =
    (id: string) =>
    ({ json }: Callback) =>
      Prediction.read(json, id)

  const watch = (
    job: Job,
    secret: Secret,
    id: string,
    control: RunControl,
    received: CallbackAddress["received"],
    submit?: Effect.Effect<JobReport.JobReport>
  ) =>
    follow({
      control,
      ...(submit !== undefined && { submit }),
      poll: poll(job.binding, secret),
      cancel: cancel(job.binding, secret, id),
      callbacks: { received, read: readFor(id) }
    })

  /** The result of submitting: `null` if the server took the prediction. */
  const put = Effect.fnUntraced(
    function* (job: Job, secret: Secret, webhook: string) {
      const answer = yield* call(job.binding, secret, `/predictions/${predictionId(job)}`, {
        method: "PUT",
        headers: { prefer: "respond-async" },
        body: {
          id: predictionId(job),
          input: job.input,
          webhook,
          webhook_events_filter: ["start", "logs", "completed"]
        }
      })
      if (answer.status === 409) return limitedFor(busyRetryMs)
      if (answer.status === 503) {
        const { status } = yield* health(job.binding, secret)
        if (status === "STARTING") return limitedFor(startingRetryMs)
      }
      if (!ErrorOutcomes.isSuccess(answer)) return yield* ErrorOutcomes.ofAnswer(answer)
      const report = Prediction.read(answer.json, predictionId(job))
      if (report === null) return ErrorOutcomes.babble
      // From a server that ignores `Prefer` and waited.
      return report._tag === "Ended" ? report.outcome : null
    },
    (put, { binding, ...job }, secret) =>
      Effect.catchTag(put, "NoAnswer", (error) => {
        const abandoned = ErrorOutcomes.mayBeTaken(error)
          ? Polling.giveUp(cancel(binding, secret, predictionId(job)))
          : Effect.void
        return Effect.as(abandoned, ErrorOutcomes.ofNoHandOver(error))
      })
  )

  const run = Effect.fn("CogProvider.run")(function* (job: Job, control: RunControl) {
    const secret = yield* http.secret(job.binding)
    if (ErrorOutcomes.isSecretMissing(job.binding, secret)) return ErrorOutcomes.secretMissing
    const id = predictionId(job)
    let isTaken = false
    // A server without a free slot also calls back that the prediction failed; the run does not listen yet.
    const { received, url } = yield* callbacks.open(
      job,
      (callback) => isTaken && JobReport.isEnded(readFor(id)(callback))
    )
    const ended = yield* Effect.uninterruptibleMask((restore) =>
      Effect.tap(restore(Seconds.ofCall(put(job, secret, url))), (ended) => {
        isTaken = ended === null
        return isTaken ? control.accepted(id) : Effect.void
      })
    )
    if (ended !== null) return ended
    // The server takes a prediction only if it has a free slot, so it has begun.
    return yield* watch(job, secret, id, control, received, Effect.succeed(JobReport.running))
  }, Effect.scoped)

  const reattach = Effect.fn("CogProvider.reattach")(function* (
    job: Job,
    jobId: string,
    control: RunControl
  ) {
    const secret = yield* http.secret(job.binding)
    if (ErrorOutcomes.isSecretMissing(job.binding, secret)) return ErrorOutcomes.secretMissing
    const { received } = yield* callbacks.open(job, (callback) => JobReport.isEnded(readFor(jobId)(callback)))
    return yield* watch(job, secret, jobId, control, received)
  }, Effect.scoped)

  const isIdle = ({ outcome }: JobReport.Unclear) => outcome._tag === "Lost"

  const provider: Provider = {
    adapter: "cog",
    run,
    reattach,
    reach: ({ url = "" }) => http.reach(url),
    look: ({ binding }) =>
      Effect.flatMap(http.secret(binding), (secret) =>
        JobReport.look(
          poll(binding, secret).pipe(
            Effect.catch((error) =>
              isIdle(error) ? Effect.succeed(JobReport.ended(ErrorOutcomes.lost)) : Effect.fail(error)
            )
          )
        )
      )
  }
  return provider
})
