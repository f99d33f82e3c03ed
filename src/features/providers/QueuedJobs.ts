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
import * as OutputChunks from "./OutputChunks.ts"
import * as Polling from "./Polling.ts"
import type { Job, Provider, RunControl } from "./Provider.ts"
import type { NoAnswer } from "./NoAnswer.ts"
import { type Call, type ProviderAnswer, ProviderHttp } from "./ProviderHttp.ts"
import * as ErrorOutcomes from "./ErrorOutcomes.ts"
import * as ReplacedControl from "./ReplacedControl.ts"

/** From the binding: where its jobs are, and how to ask for them. */
export interface Access<Options> {
  /** The binding's `url`, or the public address. Without a trailing slash. */
  readonly base: string
  readonly options: Options
  /** Includes the credential. */
  readonly call: (call: Call) => Effect.Effect<ProviderAnswer, NoAnswer>
  /** Includes the credential only for the origin of `base`. */
  readonly stream: ProviderHttp["Service"]["stream"]
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
  /**
   * Reports the output of a new job as it is made, until there is no more. `answer`: to its submission. The end of the job is
   * asked for in any case. `null` if the job's output does not stream.
   */
  readonly follow?: (
    access: Access<Options>,
    answer: Json | undefined,
    chunks: OutputChunks.OutputChunks
  ) => Effect.Effect<void, NoAnswer> | null
}

interface Submitted {
  readonly jobId: string
  /** Reports the output. Fails if the run has failed with it. */
  readonly stream: Effect.Effect<JobReport.JobReport | null> | null
}

interface Streaming<Options> {
  readonly access: Access<Options>
  readonly jobId: string
  readonly chunks: OutputChunks.OutputChunks
  readonly control: RunControl
  /** To the submission. */
  readonly answer: ProviderAnswer
}

interface Following extends Pick<Polling.FollowOptions, "control" | "submit" | "stream"> {
  /** `null`: the model's output does not stream. */
  readonly chunks: OutputChunks.OutputChunks | null
  readonly received: CallbackAddress["received"]
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
        call: (call) => http.call({ ...call, headers: { ...call.headers, authorization } }),
        stream: (call, use) => {
          const isHome = new URL(call.url).origin === new URL(binding.url ?? defaultUrl).origin
          return http.stream({ ...call, headers: { ...call.headers, ...(isHome && { authorization }) } }, use)
        }
      }
      return access
    })

    const poll = (binding: ProviderBinding, jobId: string) =>
      Effect.flatMap(accessOf(binding), protocol.asking(jobId)).pipe(
        Effect.catchTag("NoAnswer", JobReport.ofNoState)
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

    /** A stream that breaks off is no failure: the job's output also comes at its end. */
    const streamOf = (
      binding: ProviderBinding,
      { access, answer, chunks, control, jobId }: Streaming<Options>
    ): Submitted["stream"] => {
      const take: OutputChunks.OutputChunks["take"] = (chunk, scalar) => {
        control.start()
        return chunks.take(chunk, scalar)
      }
      const following = protocol.follow?.(access, answer.json, { ...chunks, take }) ?? null
      if (following === null) return null
      return Effect.flatMap(Effect.ignore(following), () => {
        const fault = chunks.fault()
        if (fault === null) return Effect.succeed(null)
        return Effect.as(Polling.giveUp(cancel(binding, jobId)), JobReport.ended(fault))
      })
    }

    /** The job's id, or the outcome of a run without one. An interruption does not lose an answer that has arrived. */
    const submit = Effect.fnUntraced(
      function* (
        job: Job,
        control: RunControl,
        { chunks, url }: { readonly chunks: OutputChunks.OutputChunks | null; readonly url: string }
      ) {
        const access = yield* accessOf(job.binding)
        const callback = isToldOf(url, access.base) ? url : null
        return yield* Effect.uninterruptibleMask(
          Effect.fnUntraced(function* (restore) {
            const answer = yield* restore(access.call(protocol.submission(access, job, callback)))
            if (!ErrorOutcomes.isSuccess(answer)) return yield* refusal(answer)
            const jobId = protocol.jobIdIn(access, answer.json)
            if (jobId === null) return ErrorOutcomes.ofForm(answer)
            yield* control.accepted(jobId)
            const stream =
              chunks === null ? null : streamOf(job.binding, { access, jobId, chunks, control, answer })
            return { jobId, stream } satisfies Submitted
          })
        )
      },
      Effect.catchTag("NoAnswer", (error) => Effect.succeed(ErrorOutcomes.ofNoHandOver(error))),
      Effect.catchTag("Unclear", ({ outcome }) => Effect.succeed(outcome))
    )

    const followed = ({ binding }: Job, jobId: string, { chunks, control, received, ...rest }: Following) =>
      follow({
        ...rest,
        control,
        poll: poll(binding, jobId),
        cancel: cancel(binding, jobId),
        callbacks: { received, read: () => null }
      }).pipe(
        Effect.flatMap((outcome) =>
          outcome._tag === "Stopped" ? stoppedBy(control) : Effect.succeed(outcome)
        ),
        Effect.flatMap((outcome) => (chunks === null ? Effect.succeed(outcome) : chunks.ended(outcome)))
      )

    const provider: Provider = {
      adapter,

      run: Effect.fn("QueuedJobs.run", { attributes: { adapter } })(function* (job, reporter) {
        const { received, url } = yield* callbacks.open(job)
        const control = ReplacedControl.startingOnce(reporter)
        const chunks = OutputChunks.make(job, control)
        const taken = yield* submit(job, control, { chunks, url })
        if ("_tag" in taken) return taken
        const { jobId, stream } = taken
        return yield* followed(job, jobId, {
          chunks,
          control,
          received,
          submit: Effect.succeed(JobReport.waiting),
          ...(stream !== null && { stream })
        })
      }, Effect.scoped),

      reattach: Effect.fn("QueuedJobs.reattach", { attributes: { adapter } })(function* (
        job,
        jobId,
        control
      ) {
        const { received } = yield* callbacks.open(job)
        return yield* followed(job, jobId, {
          chunks: OutputChunks.make(job, control, false),
          control,
          received
        })
      }, Effect.scoped),

      reach: ({ url = defaultUrl }) => http.reach(url),

      look: ({ binding }, jobId) => JobReport.look(Effect.map(poll(binding, jobId), looked))
    }
    return provider
  })
