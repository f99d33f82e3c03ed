/** One claimed run, from its input to its recorded outcome, whatever the provider does. */
import { Cause, Clock, Deferred, Effect, Exit, Schedule } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { RequestId } from "#domain/Ids.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import type { Request } from "#domain/inference-request/State.ts"
import type { ProviderOutcome, RunOutcome } from "#domain/Outcome.ts"
import { type PayloadUnavailable, Payloads } from "#streams/Payload.ts"
import type { BlobStoreError } from "#streams/BlobStore.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import * as StreamName from "#streams/StreamName.ts"
import { Catalog, type CatalogEntry } from "#src/models/Catalog.ts"
import type { Job } from "#src/providers/Provider.ts"
import type { Watch } from "#src/providers/health/ProviderHealth.ts"
import { Providers } from "#src/providers/Providers.ts"
import { RequestActors } from "#src/requests/RequestActors.ts"
import * as Fallback from "./Fallback.ts"
import * as OutcomeRecord from "./OutcomeRecord.ts"
import * as Mapping from "./Mapping.ts"
import * as RunReport from "./RunReport.ts"
import * as TimeLimit from "./TimeLimit.ts"

export interface Claimed {
  readonly id: RequestId
  /** As of the claim: its newest run is the one to make. */
  readonly request: Request
  /** The provider's job, when a former process had started it. */
  readonly jobId: string | null
}

/** How long a run past its model's limit has to stop at its provider before it is left alone, ms. */
const stoppingMs = 5_000

/** A log that cannot be read for now is no fault of a provider, and costs the request no try of its own. */
const logAway = { schedule: Schedule.spaced("1 second"), times: 300 }

/** How long the provider has been at it; a run that was taken over began before this process knew of it. */
const secondsOf = ({ jobId, request: { phase } }: Claimed, report: RunReport.RunReport) =>
  jobId !== null && phase._tag === "Running"
    ? Effect.map(Clock.currentTimeMillis, (now) => Math.max(now - phase.runStartedAt, 0) / 1_000)
    : report.seconds

const broken = (message: string): RunOutcome => ({ _tag: "ProviderError", message, retryable: true })

const jobOf = ({ id, request }: Claimed) => ({
  requestId: id,
  accountId: request.submitted.accountId,
  submittedAt: request.submitted.at,
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

/** One that is interrupted, or that ends past its limit, says nothing of its provider. */
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
  const record = yield* OutcomeRecord.make
  const scope = yield* Effect.scope

  const runAtProvider = (
    job: Job,
    jobId: string | null,
    report: RunReport.RunReport,
    watch: Watch
  ): Effect.Effect<ProviderOutcome> => {
    const provider = providers.find(job.binding.adapter)
    if (provider === null)
      return Effect.succeed(OutcomeRecord.refused("This server has no provider for the model."))
    const seconds = job.model.timeoutSeconds
    const late = Deferred.makeUnsafe<void>()
    const stopRequested = Effect.raceFirst(report.stopRequested, Deferred.await(late))
    const control = { ...report, stopRequested }
    const run = jobId === null ? provider.run(job, control) : provider.reattach(job, jobId, control)
    watch.asked()
    return TimeLimit.apply(
      watched(run, watch, () => Deferred.isDoneUnsafe(late)),
      {
        duration: seconds * 1_000,
        onExpiry: Effect.sync(() => {
          watch.timedOut()
          Deferred.doneUnsafe(late, Effect.void)
        }),
        grace: stoppingMs,
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
    report: RunReport.RunReport,
    watch: Watch
  ): Effect.Effect<RunOutcome> => {
    const { id, jobId, request } = claimed
    if (entry === null) return Effect.succeed(OutcomeRecord.refused("The model is no longer offered."))
    const stream = StreamName.make(InferenceRequest.aggregate.category, id)
    const opened = payloads
      .open(stream, "input", request.submitted.payloads.input)
      .pipe(Effect.retry({ ...logAway, while: ({ _tag }) => _tag === "EventStoreError" }))
    return Effect.matchEffect(Effect.zip(opened, Mapping.findBinding(catalog, entry, request)), {
      onSuccess: ([text, binding]) => {
        const submitted = JSON.parse(text) as Json
        const run = Mapping.around({ entry, binding, submitted }, secondsOf(claimed, report), (input) =>
          runAtProvider(
            { ...jobOf(claimed), model: Mapping.modelOf(entry), binding, input },
            jobId,
            report,
            watch
          )
        )
        return Fallback.after(run, entry, request.attempt)
      },
      onFailure: withoutInput
      // An interruption that is not this fiber's own is the provider's doing as well.
    }).pipe(Effect.catchCause(providerFailed))
  }

  /** A job that the provider runs without us stays claimed: the next node re-attaches to it. */
  const giveBack = Effect.fnUntraced(
    function* (id: RequestId, attempt: number) {
      const { state } = yield* actors.current(id)
      if (state._tag === "Request" && "run" in state.phase && state.phase.run.jobId !== null) return
      yield* actors.execute(id, { _tag: "Release", at: yield* Clock.currentTimeMillis, attempt })
    },
    (effect) => Effect.ignore(effect)
  )

  const afterClaim = Effect.fnUntraced(function* (
    claimed: Claimed,
    stopRequested: Effect.Effect<void>,
    watch: Watch
  ) {
    const job = jobOf(claimed)
    const { model, modelVersion } = claimed.request.submitted
    const { attempt, requestId: id } = job
    const report = RunReport.make({ actors, scope, id, attempt, stopRequested })
    const entry = yield* catalog.findVersion(model, modelVersion)
    const outcome = yield* Effect.onExitPrimitive(
      Effect.interruptible(perform(claimed, entry, report, watch)),
      (exit) => (Exit.isFailure(exit) && Cause.hasInterrupts(exit.cause) ? giveBack(id, attempt) : undefined)
    )
    const startedAt = yield* report.finish()
    yield* record(job, entry, outcome, { at: yield* Clock.currentTimeMillis, startedAt })
  })

  /**
   * From the claim on: between it and the run nothing interrupts, for nobody else would run what is claimed. A claim of
   * `null` leaves nothing to do. `stopRequested` completes when the client gives up, `watch` is told how the provider
   * does. Interrupted, the node goes down: the run is given back.
   */
  return <E>(claim: Effect.Effect<Claimed | null, E>, stopRequested: Effect.Effect<void>, watch: Watch) =>
    Effect.uninterruptible(
      Effect.flatMap(claim, (claimed) =>
        claimed === null ? Effect.void : afterClaim(claimed, stopRequested, watch)
      )
    )
})
