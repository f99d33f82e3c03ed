/** One claimed run, from its input to its recorded outcome. */
import { Cause, Effect, Exit, FiberSet, Schedule } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { RequestId } from "#domain/Ids.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import type { Request } from "#domain/inference-request/State.ts"
import type { ProviderOutcome, RunOutcome } from "#domain/Outcome.ts"
import { type PayloadUnavailable, Payloads } from "#streams/Payload.ts"
import type { BlobStoreError } from "#streams/BlobStore.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import * as StreamName from "#streams/StreamName.ts"
import { Catalog, type CatalogEntry } from "#src/features/catalog/models/Catalog.ts"
import type { Job } from "#src/features/providers/Provider.ts"
import type { Watch } from "#src/features/provider-health/ProviderHealth.ts"
import { InputMemory } from "#src/kernel/memory/InputMemory.ts"
import * as InputWeight from "#src/kernel/memory/InputWeight.ts"
import type { Lease } from "#src/kernel/limits/MemoryBudget.ts"
import { Providers } from "#src/features/providers/Providers.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import * as Deadlines from "#src/kernel/time/Deadlines.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import * as Fallback from "./Fallback.ts"
import * as FollowedTime from "./FollowedTime.ts"
import * as OutcomeRecord from "./OutcomeRecord.ts"
import { EvaluationFor } from "#src/features/catalog/models/expression/EvaluationFor.ts"
import * as Mapping from "./Mapping.ts"
import * as RunReport from "./RunReport.ts"
import type { StopSignal } from "./StopSignal.ts"
import * as TimeLimit from "./TimeLimit.ts"
import * as WallTime from "#domain/inference-request/WallTime.ts"

export interface Claimed {
  readonly id: RequestId
  /** The state after the claim; its newest run is the one to perform. */
  readonly request: Request
  /** The provider's job, if a previous process started it. */
  readonly jobId: string | null
  /** Memory for the input; `null` if none is taken yet. Released with the run's slot. */
  readonly memory: Lease | null
}

/** Parsing an input of this size takes some ms, so other work gets a turn first, characters. */
const largeInput = 512 * 1024

/** How long a run past its model's limit may take to stop before it is abandoned, ms. */
const stoppingMs = 5_000

/** An unreadable log is not the provider's fault and costs the request no try. */
const logAway = { schedule: Schedule.spaced("1 second"), times: 300 }

/** Remaining time of a run that was taken over past its model's limit, to collect its end, ms. */
const collectingMs = 5_000

/** Wait between looks for the model of a run that cannot be released, and the longest such wait. */
const modelAwayMs = 1_000
const longestModelAwayMs = 60_000

/** When this node took over the run, Unix time in ms; `null` for its own runs. */
type TakenOverAt = number | null

interface Following {
  readonly report: RunReport.RunReport
  /** Sent by the client's cancellation, or at the limit. */
  readonly stop: StopSignal
  readonly takenOverAt: TakenOverAt
  readonly watch: Watch
}

/** How long the provider was observed at work. */
const secondsOf = (
  { request }: Claimed,
  report: RunReport.RunReport,
  takenOverAt: TakenOverAt,
  steady: SteadyTime["Service"]
) =>
  takenOverAt !== null && request.phase._tag === "Running"
    ? Effect.map(steady.now, (now) => FollowedTime.seconds(request, { now, since: takenOverAt }))
    : report.seconds

/** The rest of the model's limit, ms. */
const limitMsOf = ({ model }: Job, { request: { phase } }: Claimed, takenOverAt: TakenOverAt): number => {
  const limit = model.timeoutSeconds * 1_000
  return takenOverAt !== null && phase._tag === "Running"
    ? Math.max(limit - Math.max(takenOverAt - phase.runStartedAt, 0), Math.min(limit, collectingMs))
    : limit
}

/** Neither an end nor a try: a node that knows the model runs the request, or this one later. */
const withoutModel = ({ request: { attempt } }: Claimed): RunOutcome => ({
  _tag: "RateLimited",
  retryAfterMs: Math.min(modelAwayMs * 2 ** Math.min(attempt, 10), longestModelAwayMs)
})

const broken = (message: string): RunOutcome => ({ _tag: "ProviderError", message, retryable: true })

const jobOf = ({ id, request }: Claimed) => ({
  requestId: id,
  accountId: request.submitted.accountId,
  submittedAt: WallTime.dateOf(request.submitted),
  attempt: request.attempt
})

const withoutInput = (
  error: PayloadUnavailable | EventStoreError | BlobStoreError
): Effect.Effect<RunOutcome> =>
  error._tag === "PayloadUnavailable"
    ? Effect.succeed(OutcomeRecord.refused(`The input is ${error.reason}.`))
    : Effect.as(
        Effect.logError("The input of a run cannot be read", error),
        broken("The input cannot be read.")
      )

const providerFailed = (cause: Cause.Cause<unknown>): Effect.Effect<RunOutcome> =>
  Effect.as(Effect.logError("A provider failed unexpectedly", cause), broken("The provider failed."))

/** An interrupted run, or one past its limit, says nothing about its provider. */
const watched = (
  run: Effect.Effect<ProviderOutcome>,
  watch: Watch,
  isLate: () => boolean
): Effect.Effect<ProviderOutcome> =>
  Effect.onExitPrimitive(run, (exit) => {
    if (isLate()) return undefined
    if (Exit.isSuccess(exit)) watch.ended(exit.value)
    else if (!Cause.hasInterrupts(exit.cause)) watch.ended(broken("The provider failed."))
    return undefined
  })

export const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const providers = yield* Providers
  const payloads = yield* Payloads
  const actors = yield* RequestActors
  const steady = yield* SteadyTime
  const record = yield* OutcomeRecord.make
  const fork = yield* FiberSet.makeRuntime<never>()
  const deadlines = yield* Deadlines.make
  const memory = yield* InputMemory

  /** A run that was taken over waits for memory here, because its provider already works on it. */
  const withMemory = <A>({ memory: taken, request }: Claimed, run: Effect.Effect<A>): Effect.Effect<A> =>
    taken === null
      ? Effect.acquireUseRelease(
          Effect.interruptible(memory.runs.wait(request.submitted.accountId, InputWeight.ofRequest(request))),
          () => run,
          (lease) => Effect.sync(lease.release)
        )
      : run

  const runAtProvider = (
    job: Job,
    claimed: Claimed,
    { report, stop, takenOverAt, watch }: Following
  ): Effect.Effect<ProviderOutcome> => {
    const { jobId } = claimed
    const provider = providers.find(job.binding.adapter)
    if (provider === null)
      return Effect.succeed(OutcomeRecord.refused("This server has no provider for the model."))
    const seconds = job.model.timeoutSeconds
    let isLate = false
    const run = jobId === null ? provider.run(job, report) : provider.reattach(job, jobId, report)
    watch.asked()
    return TimeLimit.apply(
      watched(run, watch, () => isLate),
      deadlines,
      {
        ms: limitMsOf(job, claimed, takenOverAt),
        onExpiry: () => {
          isLate = true
          watch.timedOut(jobId !== null || report.isHeardOf())
          stop.send()
        },
        graceMs: stoppingMs,
        orElse: Effect.sync(() =>
          OutcomeRecord.refused(`The run took longer than the model's limit of ${seconds} s.`)
        ),
        onPending: report.pending
      }
    )
  }

  const perform = (
    claimed: Claimed,
    entry: CatalogEntry | null,
    following: Following
  ): Effect.Effect<RunOutcome> => {
    const { id, request } = claimed
    const { report, takenOverAt } = following
    if (entry === null) return Effect.succeed(OutcomeRecord.refused("The model is no longer offered."))
    const stream = StreamName.make(InferenceRequest.aggregate.category, id)
    const opened = payloads
      .open(stream, "input", request.submitted.payloads.input)
      .pipe(Effect.retry({ ...logAway, while: ({ _tag }) => _tag === "EventStoreError" }))
    return Effect.matchEffect(Effect.zip(opened, Mapping.findBinding(catalog, entry, request)), {
      onSuccess: ([text, binding]) => {
        const submitted = JSON.parse(text) as Json
        const seconds = secondsOf(claimed, report, takenOverAt, steady)
        const run = Mapping.around({ entry, binding, submitted }, seconds, (input) =>
          runAtProvider(
            { ...jobOf(claimed), model: Mapping.modelOf(entry), binding, input },
            claimed,
            following
          )
        )
        const running = Effect.provideService(Fallback.after(run, entry, request), EvaluationFor, {
          purpose: "run",
          owner: request.submitted.accountId
        })
        return text.length < largeInput ? running : Effect.andThen(Effect.yieldNow, running)
      },
      onFailure: withoutInput
      // An interruption that is not this fiber's own comes from the provider.
    }).pipe(Effect.catchCause(providerFailed))
  }

  /** `undefined`: this node does not know the model, so a request without a job is released. `null`: it is gone. */
  const entryOf = ({
    jobId,
    request: {
      submitted: { model, modelVersion }
    }
  }: Claimed): Effect.Effect<CatalogEntry | null | undefined> => {
    const found = catalog.findVersion(model, modelVersion)
    return Effect.catchTag(found, "NotKnownHere", (error) =>
      jobId === null
        ? Effect.as(Effect.logWarning("A run is released", error), undefined)
        : Effect.logWarning("A run that was taken over waits for its model", error).pipe(
            Effect.andThen(Effect.interruptible(Effect.retry(found, Schedule.spaced(modelAwayMs)))),
            Effect.orDie
          )
    )
  }

  /** A job with an id at its provider stays claimed, and the next node re-attaches to it. */
  const giveBack = Effect.fnUntraced(
    function* (id: RequestId, attempt: number) {
      const { state } = yield* actors.current(id)
      if (state._tag === "Request" && "run" in state.phase && state.phase.run.jobId !== null) return
      yield* actors.execute(id, { _tag: "Release", at: yield* steady.now, attempt })
    },
    (effect) => Effect.ignore(effect)
  )

  /** Runs a claimed request and records its outcome. `stop` is sent when the client cancels. */
  return Effect.fnUntraced(function* (claimed: Claimed, stop: StopSignal, watch: Watch) {
    const job = jobOf(claimed)
    const { attempt, requestId: id } = job
    const startBy =
      claimed.request.startedAt === null ? claimed.request.submitted.deadlines?.startBy : undefined
    const report = RunReport.make({
      actors,
      steady,
      fork,
      id,
      attempt,
      startBy: startBy ?? null,
      stop,
      deadlines
    })
    const takenOverAt = claimed.jobId === null ? null : yield* steady.now
    const entry = yield* entryOf(claimed)
    if (entry === undefined) {
      const at = yield* steady.now
      return yield* record(job, null, withoutModel(claimed), { at, startedAt: null })
    }
    const outcome = yield* Effect.onExitPrimitive(
      Effect.interruptible(
        withMemory(claimed, perform(claimed, entry, { report, stop, takenOverAt, watch }))
      ),
      (exit) => (Exit.isFailure(exit) && Cause.hasInterrupts(exit.cause) ? giveBack(id, attempt) : undefined)
    )
    const startedAt = yield* report.finish()
    yield* record(job, entry, outcome, { at: yield* steady.now, startedAt })
  })
})
