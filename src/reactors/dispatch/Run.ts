/** One claimed run, from its input to its recorded outcome, whatever the provider does. */
import { Cause, Clock, Effect, Schedule } from "effect"
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

export interface Claimed {
  readonly id: RequestId
  /** As of the claim: its newest run is the one to make. */
  readonly request: Request
  /** The provider's job, when a former process had started it. */
  readonly jobId: string | null
}

const refused = (message: string): ProviderOutcome => ({ _tag: "ProviderError", message, retryable: false })
const broken = (message: string): ProviderOutcome => ({ _tag: "ProviderError", message, retryable: true })

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
    control: RunControl
  ): Effect.Effect<ProviderOutcome> => {
    const provider = providers.find(job.model.provider)
    if (provider === null) return Effect.succeed(refused("This server has no provider for the model."))
    const seconds = job.model.timeoutSeconds
    return (jobId === null ? provider.run(job, control) : provider.reattach(job, jobId, control)).pipe(
      Effect.timeoutOrElse({
        duration: seconds * 1_000,
        orElse: () => Effect.succeed(refused(`The run took longer than the model's limit of ${seconds} s.`))
      }),
      Effect.catchCauseIf(
        (cause) => !Cause.hasInterrupts(cause),
        (cause) =>
          Effect.as(Effect.logError("A provider failed unexpectedly", cause), broken("The provider failed."))
      )
    )
  }

  /** Until it is recorded: this run is this node's, and nobody else records it. */
  const record = Effect.fnUntraced(function* (
    job: Omit<Job, "input" | "model">,
    entry: CatalogEntry | null,
    outcome: ProviderOutcome,
    startedAt: number | null
  ) {
    const { requestId, attempt } = job
    const at = yield* Clock.currentTimeMillis
    yield* judge(job, entry, outcome).pipe(
      Effect.provideService(Payloads, payloads),
      Effect.flatMap((judged) =>
        actors.execute(
          requestId,
          { _tag: "RecordOutcome", at, attempt, startedAt, outcome: judged.outcome },
          judged.payloads
        )
      ),
      Effect.catchTag(["RequestNotFound", "NotDispatchable"], Effect.die),
      Effect.tapError((error) => Effect.logError("The outcome of a run is not recorded yet", error)),
      Effect.retry(Schedule.spaced("1 second")),
      Effect.orDie
    )
  })

  const giveBack = (id: RequestId, attempt: number) =>
    Effect.flatMap(Clock.currentTimeMillis, (at) =>
      actors.execute(id, { _tag: "Release", at, attempt })
    ).pipe(Effect.ignore)

  const toOutcome = Effect.fn("Run.run")(function* (claimed: Claimed, stopRequested: Effect.Effect<void>) {
    const { id, request, jobId } = claimed
    const { attempt, submitted } = request
    const entry = yield* catalog.findVersion(submitted.model, submitted.modelVersion)
    const job = { requestId: id, accountId: submitted.accountId, attempt }
    if (entry === null) return yield* record(job, null, refused("The model is no longer offered."), null)
    const read = yield* readInput(claimed)
    if (!("input" in read)) return yield* record(job, entry, read, null)

    const report = yield* Effect.provideService(RunReport.make(id, attempt), RequestActors, actors)
    const control = { ...report, stopRequested }
    const outcome = yield* Effect.onInterrupt(
      runAtProvider({ ...job, model: entry.model, input: read.input }, jobId, control),
      () => giveBack(id, attempt)
    )
    yield* Effect.uninterruptible(
      Effect.flatMap(report.finish, (startedAt) => record(job, entry, outcome, startedAt))
    )
  })

  /** `stopRequested` completes when the client gives up. Interrupted, the node goes down: the run is given back. */
  return (claimed: Claimed, stopRequested: Effect.Effect<void>): Effect.Effect<void> =>
    toOutcome(claimed, stopRequested).pipe(
      Effect.catchCauseIf(
        (cause) => !Cause.hasInterrupts(cause),
        (cause) => {
          const { id: requestId, request } = claimed
          const job = { requestId, accountId: request.submitted.accountId, attempt: request.attempt }
          return Effect.andThen(
            Effect.logError("A run came to no outcome", cause),
            record(job, null, broken("The run could not be finished."), null)
          )
        }
      )
    )
})
