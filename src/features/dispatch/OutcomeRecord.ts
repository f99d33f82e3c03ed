/**
 * Records how a run ended: validates and seals the outcome, appends it, and passes outputs with files to the finalizer. Takes
 * a fiber only for what waits or fails.
 */
import { Effect, Exit } from "effect"
import type { Rejection } from "#domain/inference-request/Command.ts"
import * as Erasing from "#domain/inference-request/Erasing.ts"
import type { Event } from "#domain/inference-request/Event.ts"
import { nextAction } from "#domain/inference-request/NextAction.ts"
import type { State } from "#domain/inference-request/State.ts"
import type { RunOutcome } from "#domain/Outcome.ts"
import type { Executed } from "#streams/Actors.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import { Payloads } from "#streams/Payload.ts"
import type { CatalogEntry } from "#src/features/catalog/models/Catalog.ts"
import type { Job } from "#src/features/providers/Provider.ts"
import * as Settled from "#src/kernel/async/Settled.ts"
import { Finalizer } from "./finalize/Finalizer.ts"
import { untilStored } from "#src/platform/reactors/UntilStored.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import { judge, type Judged } from "./Judge.ts"
import * as PlannedFiles from "./PlannedFiles.ts"

export type EndedJob = Pick<Job, "requestId" | "accountId" | "attempt">

/** How a run ended. */
export interface Ended {
  readonly job: EndedJob
  /** `null` if the model is gone, in which case no run can have succeeded. */
  readonly entry: CatalogEntry | null
  readonly outcome: RunOutcome
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

export const broken = (message: string): RunOutcome => ({ _tag: "ProviderError", message, retryable: true })

export const providerFailed = broken("The provider failed.")

const notYet = "The outcome of a run is not recorded yet"

type Appended = Executed<State, Event>

/** True also if an earlier append, which seemed to fail, has recorded it. */
const isTaken = ({ payloads }: Judged, { events, state }: Appended): boolean =>
  events.some(({ _tag }) => _tag === "OutputReceived") ||
  (state._tag === "Request" && payloads.some(({ hash }) => hash === state.rawOutput?.hash))

export const make = Effect.gen(function* () {
  const payloads = yield* Payloads
  const actors = yield* RequestActors
  const finalizer = yield* Finalizer
  const files = yield* PlannedFiles.make

  const goOn = ({ requestId }: EndedJob, state: State): Effect.Effect<void> =>
    state._tag === "Request" && nextAction(state)._tag === "Finalize"
      ? finalizer.start(requestId)
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

  /** A late outcome changes nothing, and its output is removed. */
  const settled = ({ job }: Ended, judged: Judged, appended: Appended): Effect.Effect<void> =>
    judged.payloads.length === 0 || isTaken(judged, appended)
      ? goOn(job, appended.state)
      : drop(judged, appended.state)

  const judged = ({ entry, job, outcome }: Ended) =>
    Settled.of(() => judge(payloads, files.plan, job, entry, outcome))

  const commandOf = ({ at, job: { attempt }, startedAt }: Ended, { outcome }: Judged) =>
    ({ _tag: "RecordOutcome", attempt, at, startedAt, outcome }) as const

  /**
   * Retries until the outcome is recorded: no other node does it. If the node stops first, the run is found lost. Seals
   * once, even if the log refuses the append several times: each seal would leave an unreferenced blob.
   *
   * @param first the result of an append that was made already.
   */
  const append = (
    ended: Ended,
    judged: Judged,
    first: Exit.Exit<Appended, EventStoreError | Rejection> | null
  ) => {
    let known = first
    const appended = Effect.suspend(() => {
      const next = known ?? actors.execute(ended.job.requestId, commandOf(ended, judged), judged.payloads)
      known = null
      return next
    })
    return Effect.flatMap(untilStored(notYet, appended), (result) => settled(ended, judged, result))
  }

  const judgeAndAppend = (ended: Ended, judging: ReturnType<typeof judged>) =>
    Effect.flatMap(untilStored(notYet, judging), (judged) => append(ended, judged, null))

  const finished = (ended: Ended, recorded: ReturnType<typeof append>): Effect.Effect<void> =>
    Effect.catchCause(recorded, (cause) =>
      Effect.failCause(cause).pipe(
        Effect.catchDefect((defect) => {
          const unreadable = { ...ended, outcome: refused("The provider's report cannot be read.") }
          return Effect.andThen(
            Effect.logError("A provider's report cannot be recorded", defect),
            judgeAndAppend(unreadable, judged(unreadable))
          )
        }),
        Effect.catchTag(["RequestNotFound", "NotDispatchable", "RequestNotEnded"], Effect.die)
      )
    )

  /** Passes on what is left to do once the outcome was appended, or could not be. Settled if nothing is. */
  const send = (ended: Ended, onAppended: (rest: Effect.Effect<void>) => void): void => {
    const judging = judged(ended)
    if (!Settled.hasSucceeded(judging)) return onAppended(finished(ended, judgeAndAppend(ended, judging)))
    const { value } = judging
    actors.send(ended.job.requestId, commandOf(ended, value), value.payloads, (exit) =>
      onAppended(
        Exit.isSuccess(exit) ? settled(ended, value, exit.value) : finished(ended, append(ended, value, exit))
      )
    )
  }

  const record = (ended: Ended): Effect.Effect<void> =>
    Effect.flatten(
      Effect.callback<Effect.Effect<void>>((resume) => send(ended, (rest) => resume(Exit.succeed(rest))))
    )

  return { send, record }
})
