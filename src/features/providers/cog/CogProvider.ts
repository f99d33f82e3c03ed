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
import { type Call, type ProviderAnswer, ProviderHttp, type StreamedAnswer } from "../ProviderHttp.ts"
import * as OutputChunks from "../OutputChunks.ts"
import * as ServerEvents from "../ServerEvents.ts"
import * as ErrorOutcomes from "../ErrorOutcomes.ts"
import * as Seconds from "../Seconds.ts"
import { Options } from "./Options.ts"
import * as OutputParts from "./OutputParts.ts"
import * as Prediction from "./Prediction.ts"
import * as PredictionStream from "./PredictionStream.ts"

type Secret = Redacted.Redacted | null

/** How long a stream may last beyond the model's limit, ms. The limit ends the run first. */
const graceMs = 10_000

/** Wait before the next try at a busy server, and at one that loads its model, ms. */
const busyRetryMs = 1_000
const startingRetryMs = 5_000

const limitedFor = (retryAfterMs: number): ProviderOutcome => ({ _tag: "RateLimited", retryAfterMs })

const decodeOptions = Schema.decodeUnknownOption(Options)

const slotsOf = ({ options }: ProviderBinding): number =>
  Option.match(decodeOptions(options ?? {}), { onNone: () => 1, onSome: ({ slots = 1 }) => slots })

const predictionId = ({ attempt, requestId }: Pick<Job, "requestId" | "attempt">) => `${requestId}-${attempt}`

const addressed = (
  { url = "" }: ProviderBinding,
  secret: Secret,
  path: string,
  rest: Omit<Call, "url">
): Call => ({
  ...rest,
  url: `${url.replace(/\/$/, "")}${path}`,
  headers: {
    ...rest.headers,
    ...(secret !== null && { authorization: `Bearer ${Redacted.value(secret)}` })
  }
})

interface Watching extends Pick<Polling.FollowOptions, "control" | "submit" | "stream"> {
  /** Of the prediction. */
  readonly id: string
  /** `null`: the model's output does not stream. */
  readonly parts: OutputParts.OutputParts | null
  readonly received: CallbackAddress["received"]
}

export const make = Effect.gen(function* () {
  const http = yield* ProviderHttp
  const callbacks = yield* Callbacks
  const follow = yield* Polling.make

  const call = (...[binding, secret, path, rest]: Parameters<typeof addressed>) =>
    http.call(addressed(binding, secret, path, rest))

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
    (id: string, parts: OutputParts.OutputParts | null) =>
    ({ json }: Callback) => {
      if (parts !== null) parts.takeAll(Prediction.partsIn(json, id))
      return Prediction.read(json, id)
    }

  const watch = (job: Job, secret: Secret, { id, parts, ...rest }: Watching) =>
    Effect.flatMap(
      follow({
        ...rest,
        poll: poll(job.binding, secret),
        cancel: cancel(job.binding, secret, id),
        callbacks: { received: rest.received, read: readFor(id, parts) }
      }),
      (outcome) => (parts === null ? Effect.succeed(outcome) : parts.ended(outcome))
    )

  const putCall = (job: Job, webhook: string, streams: boolean): Omit<Call, "url"> => ({
    method: "PUT",
    // A server that does not stream goes on without an answer, and calls back.
    headers: { prefer: "respond-async", ...(streams && { accept: "text/event-stream" }) },
    body: {
      id: predictionId(job),
      input: job.input,
      webhook,
      webhook_events_filter: streams
        ? ["start", "output", "logs", "completed"]
        : ["start", "logs", "completed"]
    }
  })

  /** The result of submitting: `null` if the server took the prediction. */
  const judge = Effect.fnUntraced(function* (answer: ProviderAnswer, job: Job, secret: Secret) {
    if (answer.status === 409) return limitedFor(busyRetryMs)
    if (answer.status === 503) {
      const { status } = yield* health(job.binding, secret)
      if (status === "STARTING") return limitedFor(startingRetryMs)
    }
    if (!ErrorOutcomes.isSuccess(answer)) return yield* ErrorOutcomes.ofAnswer(answer)
    const report = Prediction.read(answer.json, predictionId(job))
    if (report === null) return ErrorOutcomes.ofForm(answer)
    // From a server that ignores `Prefer` and waited.
    return report._tag === "Ended" ? report.outcome : null
  })

  const put = (job: Job, secret: Secret, webhook: string, streams = false) =>
    Effect.flatMap(
      call(job.binding, secret, `/predictions/${predictionId(job)}`, putCall(job, webhook, streams)),
      (answer) => judge(answer, job, secret)
    )

  /** As `put`, but a run whose output the server streams is followed to its end. */
  const putStreaming = (
    job: Job,
    secret: Secret,
    webhook: string,
    whileStreaming: (answer: StreamedAnswer) => Effect.Effect<ProviderOutcome>
  ) =>
    http
      .stream(
        {
          ...addressed(job.binding, secret, `/predictions/${predictionId(job)}`, putCall(job, webhook, true)),
          timeoutMs: job.model.timeoutSeconds * 1_000 + graceMs,
          maxBytes: ServerEvents.mostBytes
        },
        (answer): Effect.Effect<ProviderOutcome | ProviderAnswer, NoAnswer> =>
          ServerEvents.isStream(answer) ? whileStreaming(answer) : answer.whole
      )
      .pipe(
        Effect.flatMap((answer) => {
          if ("_tag" in answer) return Effect.succeed(answer)
          // The model has not opted in to streams.
          return answer.status === 406 ? put(job, secret, webhook) : judge(answer, job, secret)
        })
      )

  const orAbandon =
    ({ binding, ...job }: Job, secret: Secret) =>
    <A>(put: Effect.Effect<A, NoAnswer>) =>
      Effect.catchTag(put, "NoAnswer", (error) => {
        const abandoned = ErrorOutcomes.mayBeTaken(error)
          ? Polling.giveUp(cancel(binding, secret, predictionId(job)))
          : Effect.void
        return Effect.as(abandoned, ErrorOutcomes.ofNoHandOver(error))
      })

  const run = Effect.fn("CogProvider.run")(function* (job: Job, control: RunControl) {
    const secret = yield* http.secret(job.binding)
    if (ErrorOutcomes.isSecretMissing(job.binding, secret)) return ErrorOutcomes.secretMissing
    const id = predictionId(job)
    const parts = OutputParts.make(OutputChunks.make(job, control))
    let isTaken = false
    // A server without a free slot also calls back that the prediction failed; the run does not listen yet.
    const { received, url } = yield* callbacks.open(
      job,
      (callback) => isTaken && JobReport.isEnded(readFor(id, null)(callback))
    )
    const accepted = Effect.suspend(() => {
      isTaken = true
      return Effect.uninterruptible(control.accepted(id))
    })
    // The server takes a prediction only if it has a free slot, so it has begun.
    const watching = { id, parts, control, received, submit: Effect.succeed(JobReport.running) }
    const submitted =
      parts === null
        ? put(job, secret, url)
        : putStreaming(job, secret, url, (answer) =>
            Effect.andThen(
              accepted,
              watch(job, secret, { ...watching, stream: PredictionStream.read(answer, id, parts) })
            )
          )
    const ended = yield* Effect.uninterruptibleMask((restore) =>
      Effect.tap(restore(Seconds.ofCall(orAbandon(job, secret)(submitted))), (ended) =>
        ended === null ? accepted : Effect.void
      )
    )
    if (ended === null) return yield* watch(job, secret, watching)
    return parts === null || isTaken ? ended : yield* parts.ended(ended)
  }, Effect.scoped)

  const reattach = Effect.fn("CogProvider.reattach")(function* (
    job: Job,
    jobId: string,
    control: RunControl
  ) {
    const secret = yield* http.secret(job.binding)
    if (ErrorOutcomes.isSecretMissing(job.binding, secret)) return ErrorOutcomes.secretMissing
    const { received } = yield* callbacks.open(job, (callback) =>
      JobReport.isEnded(readFor(jobId, null)(callback))
    )
    const parts = OutputParts.make(OutputChunks.make(job, control, false))
    return yield* watch(job, secret, { id: jobId, parts, control, received })
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
