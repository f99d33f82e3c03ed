/**
 * Records how a run ended: validates and seals the outcome, appends it, and passes outputs with files to the finalizer.
 */
import { Effect } from "effect"
import * as Erasing from "#domain/inference-request/Erasing.ts"
import type { Event } from "#domain/inference-request/Event.ts"
import { nextAction } from "#domain/inference-request/NextAction.ts"
import type { State } from "#domain/inference-request/State.ts"
import type { RunOutcome } from "#domain/Outcome.ts"
import { Payloads } from "#streams/Payload.ts"
import type { CatalogEntry } from "#src/features/catalog/models/Catalog.ts"
import type { Job } from "#src/features/providers/Provider.ts"
import { Finalizer } from "./finalize/Finalizer.ts"
import { untilStored } from "#src/platform/reactors/UntilStored.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import { judge, type Judged } from "./Judge.ts"
import * as PlannedFiles from "./PlannedFiles.ts"

export type EndedJob = Pick<Job, "requestId" | "accountId" | "attempt">

export interface EndTimes {
  /** Unix time in ms, like `startedAt`. */
  readonly at: number
  /** The start of the run, if it may not be on the log yet. */
  readonly startedAt: number | null
}

export const refused = (message: string): RunOutcome => ({
  _tag: "ProviderError",
  message,
  retryable: false
})

const notYet = "The outcome of a run is not recorded yet"

/** True also if an earlier append, which seemed to fail, has recorded it. */
const isTaken = ({ payloads }: Judged, events: ReadonlyArray<Event>, state: State): boolean =>
  events.some(({ _tag }) => _tag === "OutputReceived") ||
  (state._tag === "Request" && payloads.some(({ hash }) => hash === state.rawOutput?.hash))

export const make = Effect.gen(function* () {
  const payloads = yield* Payloads
  const actors = yield* RequestActors
  const finalizer = yield* Finalizer
  const files = yield* PlannedFiles.make

  const goOn = (job: EndedJob, state: State) =>
    state._tag === "Request" && nextAction(state)._tag === "Finalize"
      ? finalizer.start(job.requestId)
      : Effect.void

  /** Removes what was stored for an output that the request did not accept, except files that the request has. */
  const drop = ({ outcome, payloads: sealed }: Judged, state: State) => {
    const planned = outcome._tag === "Succeeded" ? (outcome.output.media ?? []) : []
    const taken = state._tag === "Request" ? Erasing.filesOf(state) : []
    return Effect.andThen(
      payloads.discard(sealed),
      files.discard(planned.filter(({ fileId }) => !taken.includes(fileId)))
    )
  }

  const append = ({ attempt, requestId }: EndedJob, { outcome, payloads }: Judged, times: EndTimes) =>
    actors.execute(requestId, { _tag: "RecordOutcome", attempt, ...times, outcome }, payloads)

  /** Seals once, even if the log refuses the append several times: each seal would leave an unreferenced blob. */
  const judgeAndRecord = (job: EndedJob, entry: CatalogEntry | null, outcome: RunOutcome, times: EndTimes) =>
    Effect.flatMap(
      untilStored(
        notYet,
        Effect.suspend(() => judge(payloads, files.plan, job, entry, outcome))
      ),
      (judged) =>
        Effect.flatMap(untilStored(notYet, append(job, judged, times)), ({ events, state }) =>
          // A late outcome changes nothing, and its output is removed.
          judged.payloads.length === 0 || isTaken(judged, events, state)
            ? goOn(job, state)
            : drop(judged, state)
        )
    )

  /** Retries until the outcome is recorded: no other node does it. If the node stops first, the run is found lost. */
  const record = (
    job: EndedJob,
    entry: CatalogEntry | null,
    outcome: RunOutcome,
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
        Effect.catchTag(["RequestNotFound", "NotDispatchable", "RequestNotEnded"], Effect.die)
      )
    )

  return record
})
