/** Recording how a run ended: judged, sealed, on the log, and handed to the finalizer when its output names files. */
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
  /** Unix time in ms, as `startedAt`. */
  readonly at: number
  /** The run's start, if it may not have been recorded yet. */
  readonly startedAt: number | null
}

export const refused = (message: string): RunOutcome => ({
  _tag: "ProviderError",
  message,
  retryable: false
})

const notYet = "The outcome of a run is not recorded yet"

/** Also when an append before, which seemed to fail, has recorded it. */
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

  /** What is sealed and stored of an output that the request does not take; files that it has are left to it. */
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

  /** Sealed once, however often the log refuses it: each time would leave another blob that nobody knows. */
  const judgeAndRecord = (job: EndedJob, entry: CatalogEntry | null, outcome: RunOutcome, times: EndTimes) =>
    Effect.flatMap(
      untilStored(
        notYet,
        Effect.suspend(() => judge(payloads, files.plan, job, entry, outcome))
      ),
      (judged) =>
        Effect.flatMap(untilStored(notYet, append(job, judged, times)), ({ events, state }) =>
          // A late outcome changes nothing, and its output is nobody's.
          judged.payloads.length === 0 || isTaken(judged, events, state)
            ? goOn(job, state)
            : drop(judged, state)
        )
    )

  /**
   * Goes on until it is recorded: the run is this node's, and nobody else records it. A node that goes down meanwhile
   * leaves the run claimed, to be found lost.
   */
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
