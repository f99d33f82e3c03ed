/** Recording how a run ended: judged, sealed, on the log, and handed to the finalizer when its output names files. */
import { Effect } from "effect"
import { nextAction } from "#domain/inference-request/NextAction.ts"
import type { State } from "#domain/inference-request/State.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import { Payloads } from "#streams/Payload.ts"
import type { CatalogEntry } from "#src/models/Catalog.ts"
import type { Job } from "#src/providers/Provider.ts"
import { Finalizer } from "#src/reactors/finalize/Finalizer.ts"
import { RequestActors } from "#src/requests/RequestActors.ts"
import { judge } from "./Judge.ts"

export type EndedJob = Pick<Job, "requestId" | "accountId" | "attempt">

export interface EndTimes {
  /** Unix time in ms, as `startedAt`. */
  readonly at: number
  /** The run's start, if it may not have been recorded yet. */
  readonly startedAt: number | null
}

export const refused = (message: string): ProviderOutcome => ({
  _tag: "ProviderError",
  message,
  retryable: false
})

export const make = Effect.gen(function* () {
  const payloads = yield* Payloads
  const actors = yield* RequestActors
  const finalizer = yield* Finalizer

  const goOn = (job: EndedJob, state: State) =>
    state._tag === "Request" && nextAction(state)._tag === "Finalize"
      ? finalizer.start(job.requestId)
      : Effect.void

  const judgeAndRecord = (
    job: EndedJob,
    entry: CatalogEntry | null,
    outcome: ProviderOutcome,
    times: EndTimes
  ) =>
    Effect.flatMap(
      Effect.suspend(() => judge(payloads, job, entry, outcome)),
      (judged) => {
        const { attempt, requestId } = job
        const command = { _tag: "RecordOutcome", attempt, ...times, outcome: judged.outcome } as const
        return Effect.flatMap(actors.execute(requestId, command, judged.payloads), ({ events, state }) =>
          // A late outcome changes nothing, and its output is nobody's.
          judged.payloads.length === 0 || events.some(({ _tag }) => _tag === "OutputReceived")
            ? goOn(job, state)
            : payloads.discard(judged.payloads)
        )
      }
    )

  /**
   * Goes on until it is recorded: the run is this node's, and nobody else records it. A node that goes down meanwhile
   * leaves the run claimed, to be found lost.
   */
  const record = (
    job: EndedJob,
    entry: CatalogEntry | null,
    outcome: ProviderOutcome,
    times: EndTimes
  ): Effect.Effect<void> =>
    Effect.catchCause(judgeAndRecord(job, entry, outcome, times), (cause) =>
      Effect.failCause(cause).pipe(
        Effect.catchDefect((defect) =>
          Effect.andThen(
            Effect.logError("A provider's report cannot be recorded", defect),
            judgeAndRecord(job, entry, refused("The provider's report cannot be read."), times)
          )
        ),
        Effect.catchTag(["RequestNotFound", "NotDispatchable", "RequestNotEnded"], Effect.die),
        Effect.catch((error) =>
          Effect.logError("The outcome of a run is not recorded yet", error).pipe(
            Effect.andThen(Effect.interruptible(Effect.sleep("1 second"))),
            Effect.andThen(Effect.suspend(() => record(job, entry, outcome, times)))
          )
        )
      )
    )

  return record
})
