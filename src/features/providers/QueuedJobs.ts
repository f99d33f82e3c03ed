/**
 * Adapters for providers with a queue: one call submits a job and returns its id, others ask for its state and stop it.
 * Webhooks contain no more than answers do, so they only trigger a question and are never trusted.
 */
import { Effect, Redacted, Result, Schema } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { Adapter, ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import { type CallbackAddress, Callbacks } from "./Callbacks.ts"
import * as JobReport from "./JobReport.ts"
import * as Polling from "./Polling.ts"
import type { Job, Provider, RunControl } from "./Provider.ts"
import type { NoAnswer } from "./NoAnswer.ts"
import { type Call, type ProviderAnswer, ProviderHttp } from "./ProviderHttp.ts"
import * as ErrorOutcomes from "./ErrorOutcomes.ts"

/** From the binding: where its jobs are, and how to ask for them. */
export interface Access<Options> {
  /** The binding's `url`, or the public address. Without a trailing slash. */
  readonly base: string
  readonly options: Options
  /** Includes the credential. */
  readonly call: (call: Call) => Effect.Effect<ProviderAnswer, NoAnswer>
}

export interface Protocol<Options> {
  readonly adapter: Adapter
  readonly options: Schema.ConstraintDecoder<Options>
  readonly defaultUrl: string
  /** The scheme in `Authorization`. */
  readonly scheme: "Bearer" | "Key"
  /** Submits a job. `callback` is `null` if the provider gets no address. */
  readonly submission: (access: Access<Options>, job: Job, callback: string | null) => Call
  /** What a refusal of a submission means; by default what the answer means for every call. */
  readonly refusal?: (answer: ProviderAnswer) => Effect.Effect<ProviderOutcome>
  /** The id of the job in the answer to its submission, valid after a restart. `null` if there is none. */
  readonly jobIdIn: (access: Access<Options>, answer: Json | undefined) => string | null
  /** Asks for the state of one job, every time its answer is needed. */
  readonly asking: (
    jobId: string
  ) => (access: Access<Options>) => Effect.Effect<JobReport.JobReport, JobReport.Unclear | NoAnswer>
  readonly cancellation: (access: Access<Options>, jobId: string) => Call
}

const misbound = ErrorOutcomes.failed("The binding's options are not those of its adapter.", false)

/** Someone cancelled it at the provider on purpose, so it is not retried. */
const cancelledThere = ErrorOutcomes.failed("The job was cancelled at the provider.", false)

const stopped: ProviderOutcome = { _tag: "Stopped" }

/** The end of a cancelled job. `Stopped` is only for runs that the client cancelled. */
const stoppedBy = ({ stopRequested }: RunControl): Effect.Effect<ProviderOutcome> =>
  Effect.raceFirst(Effect.as(stopRequested, stopped), Effect.as(Effect.yieldNow, cancelledThere))

/** The caller knows whether the client cancelled. */
const looked = (report: JobReport.JobReport): JobReport.JobReport =>
  report._tag === "Ended" && report.outcome._tag === "Stopped" ? JobReport.ended(cancelledThere) : report

/** A provider gets no callback address that it cannot reach, and none over plain HTTP outside the operator's network. */
const isToldOf = (callbackUrl: string, base: string): boolean =>
  callbackUrl.startsWith("https://") || base.startsWith("http://")

export const make = <Options>(protocol: Protocol<Options>) =>
  Effect.gen(function* () {
    const { adapter, defaultUrl, refusal = ErrorOutcomes.ofAnswer, scheme } = protocol
    const http = yield* ProviderHttp
    const callbacks = yield* Callbacks
    const follow = yield* Polling.make
    const decode = Schema.decodeUnknownResult(protocol.options, { onExcessProperty: "error" })

    const accessOf = Effect.fnUntraced(function* (binding: ProviderBinding) {
      const options = decode(binding.options ?? {})
      if (Result.isFailure(options)) return yield* JobReport.unclear(misbound)
      const secret = yield* http.secret(binding)
      if (secret === null) return yield* JobReport.unclear(ErrorOutcomes.secretMissing)
      const authorization = `${scheme} ${Redacted.value(secret)}`
      const access: Access<Options> = {
        base: (binding.url ?? defaultUrl).replace(/\/+$/, ""),
        options: options.success,
        call: (call) => http.call({ ...call, headers: { ...call.headers, authorization } })
      }
      return access
    })

    const poll = (binding: ProviderBinding, jobId: string) =>
      Effect.flatMap(accessOf(binding), protocol.asking(jobId)).pipe(
        Effect.catchTag("NoAnswer", JobReport.ofNoAnswer)
      )

    /** A job that is over (400) or gone (404) needs no stop; its state is asked for. */
    const cancel = Effect.fnUntraced(
      function* (binding: ProviderBinding, jobId: string) {
        const access = yield* accessOf(binding)
        const answer = yield* access.call(protocol.cancellation(access, jobId))
        const isHeard = ErrorOutcomes.isSuccess(answer) || answer.status === 400 || answer.status === 404
        if (!isHeard) yield* JobReport.ofAnswer(answer)
        return "heard" as const
      },
      Effect.catchTag("NoAnswer", JobReport.ofNoAnswer)
    )

    /** The job's id, or the outcome of a run without one. An interruption does not lose an answer that has arrived. */
    const submit = Effect.fnUntraced(
      function* (job: Job, control: RunControl, { url }: CallbackAddress) {
        const access = yield* accessOf(job.binding)
        const callback = isToldOf(url, access.base) ? url : null
        return yield* Effect.uninterruptibleMask(
          Effect.fnUntraced(function* (restore) {
            const answer = yield* restore(access.call(protocol.submission(access, job, callback)))
            if (!ErrorOutcomes.isSuccess(answer)) return yield* refusal(answer)
            const jobId = protocol.jobIdIn(access, answer.json)
            if (jobId === null) return ErrorOutcomes.babble
            yield* control.accepted(jobId)
            return jobId
          })
        )
      },
      Effect.catchTag("NoAnswer", (error) => Effect.succeed(ErrorOutcomes.ofNoHandOver(error))),
      Effect.catchTag("Unclear", ({ outcome }) => Effect.succeed(outcome))
    )

    const followed = (
      { binding }: Job,
      jobId: string,
      control: RunControl,
      { received }: CallbackAddress,
      submit?: Effect.Effect<JobReport.JobReport>
    ) =>
      follow({
        control,
        ...(submit !== undefined && { submit }),
        poll: poll(binding, jobId),
        cancel: cancel(binding, jobId),
        callbacks: { received, read: () => null }
      }).pipe(
        Effect.flatMap((outcome) =>
          outcome._tag === "Stopped" ? stoppedBy(control) : Effect.succeed(outcome)
        )
      )

    const provider: Provider = {
      adapter,

      run: Effect.fn("QueuedJobs.run", { attributes: { adapter } })(function* (job, control) {
        const address = yield* callbacks.open(job)
        const taken = yield* submit(job, control, address)
        return typeof taken === "string"
          ? yield* followed(job, taken, control, address, Effect.succeed(JobReport.waiting))
          : taken
      }, Effect.scoped),

      reattach: Effect.fn("QueuedJobs.reattach", { attributes: { adapter } })(function* (
        job,
        jobId,
        control
      ) {
        return yield* followed(job, jobId, control, yield* callbacks.open(job))
      }, Effect.scoped),

      reach: ({ url = defaultUrl }) => http.reach(url),

      look: ({ binding }, jobId) => JobReport.look(Effect.map(poll(binding, jobId), looked))
    }
    return provider
  })
