/** One claimed run, from its input to its recorded outcome, whatever the provider does. */
import { Clock, Effect } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { RequestId } from "#domain/Ids.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import type { Request } from "#domain/inference-request/State.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import { Payloads } from "#streams/Payload.ts"
import * as StreamName from "#streams/StreamName.ts"
import { Catalog, type CatalogEntry } from "#src/models/Catalog.ts"
import type { Job, RunControl } from "#src/providers/Provider.ts"
import { Providers } from "#src/providers/Providers.ts"
import { RequestActors } from "#src/requests/RequestActors.ts"
import { judge } from "./Judge.ts"
import * as RunReport from "./RunReport.ts"
import * as TimeLimit from "./TimeLimit.ts"

export interface Claimed {
  readonly id: RequestId
  /** As of the claim: its newest run is the one to make. */
  readonly request: Request
  /** The provider's job, when a former process had started it. */
  readonly jobId: string | null
}

const refused = (message: string): ProviderOutcome => ({ _tag: "ProviderError", message, retryable: false })
const broken = (message: string): ProviderOutcome => ({ _tag: "ProviderError", message, retryable: true })

const jobOf = ({ id, request }: Claimed) => ({
  requestId: id,
  accountId: request.submitted.accountId,
  attempt: request.attempt
})

export const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const providers = yield* Providers
  const payloads = yield* Payloads
  const actors = yield* RequestActors

  const readInput = ({ id, request }: Claimed): Effect.Effect<{ readonly input: Json } | ProviderOutcome> =>
    payloads
      .open(
        StreamName.make(InferenceRequest.aggregate.category, id),
        "input",
        request.submitted.payloads.input
      )
      .pipe(
        Effect.map((text) => ({ input: JSON.parse(text) as Json })),
        Effect.catchTag("PayloadUnavailable", ({ reason }) =>
          Effect.succeed(refused(`The input is ${reason}.`))
        ),
        Effect.catch((error) =>
          Effect.as(
            Effect.logError("The input of a run cannot be read", error),
            broken("The input cannot be read.")
          )
        )
      )

  const runAtProvider = (
    job: Job,
    jobId: string | null,
    control: RunControl,
    onPending: Effect.Effect<void>
  ): Effect.Effect<ProviderOutcome> => {
    const provider = providers.find(job.model.provider)
    if (provider === null) return Effect.succeed(refused("This server has no provider for the model."))
    const seconds = job.model.timeoutSeconds
    const run = jobId === null ? provider.run(job, control) : provider.reattach(job, jobId, control)
    return TimeLimit.apply(run, {
      duration: seconds * 1_000,
      orElse: Effect.sync(() => refused(`The run took longer than the model's limit of ${seconds} s.`)),
      onPending
    })
  }

  const perform = Effect.fnUntraced(
    function* (
      claimed: Claimed,
      entry: CatalogEntry | null,
      control: RunControl,
      onPending: Effect.Effect<void>
    ): Effect.fn.Return<ProviderOutcome> {
      if (entry === null) return refused("The model is no longer offered.")
      const read = yield* readInput(claimed)
      if (!("input" in read)) return read
      const job = { ...jobOf(claimed), model: entry.model, input: read.input }
      return yield* runAtProvider(job, claimed.jobId, control, onPending)
    },
    // An interruption that is not this fiber's own is the provider's doing as well.
    Effect.catchCause((cause) =>
      Effect.as(Effect.logError("A provider failed unexpectedly", cause), broken("The provider failed."))
    )
  )

  const judgeAndRecord = (
    job: ReturnType<typeof jobOf>,
    entry: CatalogEntry | null,
    outcome: ProviderOutcome,
    times: { readonly at: number; readonly startedAt: number | null }
  ) =>
    Effect.suspend(() => judge(job, entry, outcome)).pipe(
      Effect.provideService(Payloads, payloads),
      Effect.flatMap((judged) =>
        actors
          .execute(
            job.requestId,
            { _tag: "RecordOutcome", attempt: job.attempt, ...times, outcome: judged.outcome },
            judged.payloads
          )
          .pipe(
            // A late outcome changes nothing, and its output is nobody's.
            Effect.tap(({ events }) =>
              events.some(({ _tag }) => _tag === "OutputReceived")
                ? Effect.void
                : payloads.discard(judged.payloads)
            )
          )
      )
    )

  /**
   * Until it is recorded: this run is this node's, and nobody else records it. A node that goes down meanwhile leaves the
   * run claimed, to be found lost.
   */
  const record = Effect.fnUntraced(function* (
    job: ReturnType<typeof jobOf>,
    entry: CatalogEntry | null,
    outcome: ProviderOutcome,
    startedAt: number | null
  ) {
    const times = { at: yield* Clock.currentTimeMillis, startedAt }
    const attempt: Effect.Effect<unknown> = judgeAndRecord(job, entry, outcome, times).pipe(
      Effect.catchDefect((defect) =>
        Effect.andThen(
          Effect.logError("A provider's report cannot be recorded", defect),
          judgeAndRecord(job, entry, refused("The provider's report cannot be read."), times)
        )
      ),
      Effect.catchTag(["RequestNotFound", "NotDispatchable"], Effect.die),
      Effect.catch((error) =>
        Effect.logError("The outcome of a run is not recorded yet", error).pipe(
          Effect.andThen(Effect.interruptible(Effect.sleep("1 second"))),
          Effect.andThen(Effect.suspend(() => attempt))
        )
      )
    )
    yield* attempt
  })

  /** A job that the provider runs without us stays claimed: the next node re-attaches to it. */
  const giveBack = Effect.fnUntraced(
    function* (id: RequestId, attempt: number) {
      const { state } = yield* actors.current(id)
      if (state._tag === "Request" && "run" in state.phase && state.phase.run.jobId !== null) return
      yield* actors.execute(id, { _tag: "Release", at: yield* Clock.currentTimeMillis, attempt })
    },
    (effect) => Effect.ignore(effect)
  )

  const afterClaim = Effect.fnUntraced(function* (claimed: Claimed, stopRequested: Effect.Effect<void>) {
    const job = jobOf(claimed)
    const { model, modelVersion } = claimed.request.submitted
    const report = yield* Effect.provideService(
      RunReport.make(job.requestId, job.attempt),
      RequestActors,
      actors
    )
    const entry = yield* catalog.findVersion(model, modelVersion)
    const outcome = yield* perform(claimed, entry, { ...report, stopRequested }, report.pending).pipe(
      Effect.interruptible,
      Effect.onInterrupt(() => giveBack(job.requestId, job.attempt))
    )
    yield* record(job, entry, outcome, yield* report.finish)
  }, Effect.scoped)

  /**
   * From the claim on: between it and the run nothing interrupts, for nobody else would run what is claimed. A claim of
   * `null` leaves nothing to do. `stopRequested` completes when the client gives up. Interrupted, the node goes down: the
   * run is given back.
   */
  return <E>(claim: Effect.Effect<Claimed | null, E>, stopRequested: Effect.Effect<void>) =>
    Effect.uninterruptible(
      Effect.flatMap(claim, (claimed) => (claimed === null ? Effect.void : afterClaim(claimed, stopRequested)))
    )
})
