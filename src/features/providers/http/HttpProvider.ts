/** Workers that implement our own contract: `docs/reference/provider-contract.md`. */
import { Deferred, Effect, Option, Redacted, Schema } from "effect"
import type { ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import * as RunStart from "../RunStart.ts"
import { type Callback, Callbacks } from "../Callbacks.ts"
import * as JobReport from "../JobReport.ts"
import * as OutputChunks from "../OutputChunks.ts"
import * as Polling from "../Polling.ts"
import * as ReplacedControl from "../ReplacedControl.ts"
import type { Job, Provider, RunControl } from "../Provider.ts"
import type { NoAnswer } from "../NoAnswer.ts"
import { type Call, type ProviderAnswer, ProviderHttp } from "../ProviderHttp.ts"
import * as ServerEvents from "../ServerEvents.ts"
import * as ErrorOutcomes from "../ErrorOutcomes.ts"
import * as WorkerState from "./WorkerState.ts"
import * as WorkerStream from "./WorkerStream.ts"

/** How long to wait for an answer beyond the model's limit, ms. The limit ends the run first. */
const graceMs = 10_000

/** A worker's id for a run, which becomes part of a path. */
const Accepted = Schema.Struct({
  jobId: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-][A-Za-z0-9._:-]{0,199}$/)))
})
const decodeAccepted = Schema.decodeUnknownOption(Accepted)

const runUrl = (binding: ProviderBinding): string => binding.url ?? ""

/** `{url}/{jobId}`, with the query of the binding's URL. */
const jobUrl = (binding: ProviderBinding, jobId: string): string => {
  const url = new URL(runUrl(binding))
  url.pathname = `${url.pathname.replace(/\/$/, "")}/${encodeURIComponent(jobId)}`
  return url.href
}

const keyOf = ({ attempt, requestId }: Pick<Job, "requestId" | "attempt">) => `${requestId}-${attempt}`

/** The worker does not implement the call: 405, or 501 from servers that only know POST. */
const isMissing = ({ status }: ProviderAnswer) => status === 405 || status === 501

interface HandOver {
  readonly begun: RunStart.RunStart
  /** The address for callbacks. */
  readonly callback: string
  /** `null`: the worker is not asked for a stream. */
  readonly chunks: OutputChunks.OutputChunks | null
  readonly control: RunControl
}

/** A report that is no JSON ends the run, because the worker would write the same again. */
const read = ({ fault, json }: Callback) =>
  fault === undefined ? WorkerState.read(json) : JobReport.ended(ErrorOutcomes.notJson(fault, "callback"))

const isEnd = (callback: Callback) => JobReport.isEnded(read(callback))

export const make = Effect.gen(function* () {
  const http = yield* ProviderHttp
  const callbacks = yield* Callbacks
  const follow = yield* Polling.make

  const authorized = (secret: Redacted.Redacted | null): Readonly<Record<string, string>> =>
    secret === null ? {} : { authorization: `Bearer ${Redacted.value(secret)}` }

  const poll = Effect.fnUntraced(
    function* (binding: ProviderBinding, secret: Redacted.Redacted | null, jobId: string) {
      const answer = yield* http.call({
        method: "GET",
        url: jobUrl(binding, jobId),
        headers: authorized(secret)
      })
      if (isMissing(answer)) return JobReport.taken
      if (!ErrorOutcomes.isSuccess(answer)) return yield* JobReport.ofAnswer(answer)
      return WorkerState.read(answer.json) ?? (yield* JobReport.ofForm(answer))
    },
    Effect.catchTag("NoAnswer", JobReport.ofNoState)
  )

  /** Any other answer means that the worker got the request; the outcome is asked for. */
  const cancel = Effect.fnUntraced(
    function* (
      binding: ProviderBinding,
      secret: Redacted.Redacted | null,
      jobId: string
    ): Effect.fn.Return<Polling.Heard, JobReport.Unclear | NoAnswer> {
      const answer = yield* http.call({
        method: "DELETE",
        url: jobUrl(binding, jobId),
        headers: authorized(secret)
      })
      const isHeard = answer.status < 500 && answer.status !== 429
      if (!isHeard && !isMissing(answer)) yield* JobReport.ofAnswer(answer)
      return answer.status === 404 || answer.status === 410 ? "unknown" : "heard"
    },
    Effect.catchTag("NoAnswer", JobReport.ofNoAnswer)
  )

  /** The answer, or how a run ended whose answer is a stream. */
  const post = (
    job: Job,
    secret: Redacted.Redacted | null,
    { begun, callback, chunks, control }: HandOver
  ): Effect.Effect<ProviderAnswer | JobReport.JobReport, NoAnswer> => {
    const call: Call = {
      onSent: begun.onSent,
      method: "POST",
      url: runUrl(job.binding),
      headers: { ...authorized(secret), "idempotency-key": keyOf(job) },
      body: {
        id: job.requestId,
        attempt: job.attempt,
        model: job.model.endpoint,
        input: job.input,
        callback,
        timeoutSeconds: job.model.timeoutSeconds
      },
      timeoutMs: job.model.timeoutSeconds * 1_000 + graceMs
    }
    if (chunks === null) return http.call(call)
    return http.stream(
      {
        ...call,
        headers: { ...call.headers, accept: ServerEvents.accept },
        maxBytes: ServerEvents.mostBytes
      },
      (answer): Effect.Effect<ProviderAnswer | JobReport.JobReport, NoAnswer> =>
        ServerEvents.isStream(answer)
          ? Effect.andThen(begun.tell, WorkerStream.read(answer, chunks, control))
          : answer.whole
    )
  }

  const run = Effect.fn("HttpProvider.run")(function* (job: Job, control: RunControl) {
    const { binding } = job
    const secret = yield* http.secret(binding)
    if (ErrorOutcomes.isSecretMissing(binding, secret)) return ErrorOutcomes.secretMissing
    const { received, url } = yield* callbacks.open(job, isEnd)
    const chunks = OutputChunks.make(job, control)
    const begun = RunStart.make(control)
    const handOver: HandOver = { begun, callback: url, chunks, control }
    const named = yield* Deferred.make<string>()
    const cancelByKey = cancel(binding, secret, keyOf(job))

    const accept = Effect.fnUntraced(function* (answer: ProviderAnswer) {
      const { json } = answer
      const accepted = decodeAccepted(json)
      if (Option.isNone(accepted)) return JobReport.ended(ErrorOutcomes.ofForm(answer))
      const { jobId = keyOf(job) } = accepted.value
      yield* Deferred.succeed(named, jobId)
      yield* control.accepted(jobId)
      return WorkerState.read(json) ?? JobReport.taken
    })

    /** A worker without status calls cannot report that the run waits, so a submitted run counts as started. */
    const ask = Effect.fnUntraced(function* () {
      const state = yield* poll(binding, secret, yield* Deferred.await(named))
      if (state._tag === "Taken") yield* begun.tell
      return state
    })

    /** An interruption does not lose an id that was returned. */
    const submit = Effect.uninterruptibleMask((restore) =>
      restore(Effect.scoped(Effect.andThen(begun.unlessRefused, post(job, secret, handOver)))).pipe(
        Effect.flatMap((answer) => {
          if ("_tag" in answer) return Effect.succeed(answer)
          if (answer.status === 202) return accept(answer)
          if (!ErrorOutcomes.isSuccess(answer))
            return Effect.map(ErrorOutcomes.ofAnswer(answer), (end) => JobReport.ended(end))
          const report = WorkerState.read(answer.json)
          return Effect.succeed(
            report?._tag === "Ended" ? report : JobReport.ended(ErrorOutcomes.ofForm(answer))
          )
        }),
        Effect.catchTag("NoAnswer", (error) =>
          Effect.as(
            ErrorOutcomes.mayBeTaken(error) ? restore(Polling.giveUp(cancelByKey)) : Effect.void,
            JobReport.ended(ErrorOutcomes.ofNoHandOver(error))
          )
        )
      )
    )

    /** Stops a run whose POST is unanswered: by the run's key, by closing the connection, and by an id that arrives. */
    const submitOrStop = Effect.raceFirst(
      submit,
      Effect.as(Effect.andThen(control.stopRequested, Effect.ignore(cancelByKey)), null)
    ).pipe(
      Effect.map((answered) => {
        if (answered !== null) return answered
        return Deferred.isDoneUnsafe(named) ? JobReport.taken : JobReport.ended({ _tag: "Stopped" })
      })
    )

    const ended = yield* follow({
      control: ReplacedControl.of(control, { started: begun.tell }),
      submit: submitOrStop,
      poll: ask(),
      cancel: Effect.flatMap(Deferred.await(named), (jobId) => cancel(binding, secret, jobId)),
      callbacks: { received, read }
    })
    return chunks === null ? ended : yield* chunks.ended(ended)
  }, Effect.scoped)

  const reattach = Effect.fn("HttpProvider.reattach")(function* (
    job: Job,
    jobId: string,
    control: RunControl
  ) {
    const { binding } = job
    const secret = yield* http.secret(binding)
    if (ErrorOutcomes.isSecretMissing(binding, secret)) return ErrorOutcomes.secretMissing
    const { received } = yield* callbacks.open(job, isEnd)
    const ended = yield* follow({
      control,
      poll: poll(binding, secret, jobId),
      cancel: cancel(binding, secret, jobId),
      callbacks: { received, read }
    })
    return yield* OutputChunks.make(job, control, false)?.ended(ended) ?? Effect.succeed(ended)
  }, Effect.scoped)

  const provider: Provider = {
    adapter: "http",
    run,
    reattach,
    reach: (binding) => http.reach(runUrl(binding)),
    look: ({ binding }, jobId) =>
      Effect.flatMap(http.secret(binding), (secret) => JobReport.look(poll(binding, secret, jobId)))
  }
  return provider
})
