/** Random lives of a request: any sequence of commands, however late, wrong or repeated. */
import { Result } from "effect"
import * as fc from "fast-check"
import type { Command } from "#domain/inference-request/Command.ts"
import type { Deadlines, Event } from "#domain/inference-request/Event.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import type { State } from "#domain/inference-request/State.ts"
import type { JudgedOutcome } from "#domain/Outcome.ts"
import { replay } from "#test/support/Replay.ts"
import { stored } from "#test/support/Scenario.ts"
import * as Story from "./Story.ts"

const { decider, codec } = InferenceRequest.aggregate

/** A command without the fields that depend on the request's past. */
interface Step {
  readonly name: Command["_tag"]
  /** Time since the previous step, ms. */
  readonly after: number
  /** The run that it concerns: 0 is the newest, -1 the one before, 1 a run that never existed. */
  readonly run: number
  readonly outcome: JudgedOutcome
  readonly isStartKnown: boolean
  /** For the sweep: the run is gone, rather than its files missing. */
  readonly isRunGone: boolean
  /** For stored files: the output had other URLs. */
  readonly hasResult: boolean
}

export interface Life {
  readonly deadlines: Deadlines
  readonly steps: ReadonlyArray<Step>
}

const minute = 60_000
const hour = 60 * minute

const outcome = fc.oneof(
  fc.constantFrom<JudgedOutcome>(...Object.values(Story.outcomes)),
  fc.nat({ max: 9 }).map(Story.delivered),
  fc.nat({ max: 9 }).map(Story.deliveredWithMedia)
)

/** `names` repeated by frequency; `waits` in ms. */
const stepOf = (
  names: ReadonlyArray<Command["_tag"]>,
  waits: ReadonlyArray<number>,
  outcomes = outcome
): fc.Arbitrary<Step> =>
  fc.record({
    name: fc.constantFrom(...names),
    after: fc.constantFrom(...waits),
    run: fc.constantFrom(0, 0, 0, 0, -1, 1),
    outcome: outcomes,
    isStartKnown: fc.boolean(),
    isRunGone: fc.boolean(),
    hasResult: fc.boolean()
  })

const rare = ["Submit", "RefuseMedia", "Expire", "ForceFail", "Erase", "RecordRemoved"] as const
const runs = ["Dispatch", "Dispatch", "RecordOutcome", "RecordOutcome"] as const
const reports = [
  "RecordAccepted",
  "TakeOver",
  "RecordStarted",
  "RecordProgress",
  "Release",
  "Cancel"
] as const

/** Mostly commands about runs. */
const lively = stepOf(
  [...runs, ...reports, ...rare, "RecordMedia", "SweepRetry"],
  [0, 1, 250, minute, 3 * hour]
)
/** A request that only the sweep can end. */
const stuck = stepOf(
  ["Dispatch", "Dispatch", "RecordOutcome", "SweepRetry", "SweepRetry", "SweepRetry", "ForceFail", "Erase"],
  [minute, hour, 3 * hour],
  fc.constantFrom<JudgedOutcome>(Story.outcomes.rateLimited, Story.outcomes.succeededWithMedia)
)
/** Runs that end with files. */
const filed = stepOf(
  [
    ...runs,
    "RecordMedia",
    "RefuseMedia",
    "PostponeMedia",
    "SweepRetry",
    "Erase",
    "RecordRemoved",
    "Expire",
    "GiveUpWaiting"
  ],
  [0, 250, minute, hour]
)

const deadline = fc.constantFrom(5_000, minute, 6 * hour).map((after) => Story.request.at + after)

export const life: fc.Arbitrary<Life> = fc.record({
  deadlines: fc.oneof(
    fc.constant({}),
    fc.record({ startBy: deadline, endBy: deadline }, { requiredKeys: [] })
  ),
  steps: fc.oneof(...[lively, stuck, filed].map((step) => fc.array(step, { maxLength: 40, size: "max" })))
})

const toCommand = (step: Step, at: number, state: State): Command => {
  const { name, run, outcome, hasResult, isRunGone, isStartKnown } = step
  const attempt = (state._tag === "Request" ? state.attempt : 0) + run
  switch (name) {
    case "Submit":
      return Story.submit
    case "Dispatch":
      return Story.dispatch(at)
    case "RecordAccepted":
      return { _tag: name, at, attempt, jobId: `job-${attempt}` }
    case "TakeOver":
      return Story.takeOver(at, { attempt })
    case "RecordStarted":
    case "Release":
      return { _tag: name, at, attempt }
    case "RecordProgress":
      return { _tag: name, at, attempt, fraction: 0.5, logs: [`at ${at}`] }
    case "RecordOutcome":
      return Story.end(outcome, { at, attempt, startedAt: isStartKnown ? at : null })
    case "Cancel":
    case "Expire":
    case "ForceFail":
    case "RecordRemoved":
      return { _tag: name, at }
    case "GiveUpWaiting":
      return { _tag: name, at, maxWaitMs: hour }
    case "SweepRetry":
      return Story.sweepRetry(at, isRunGone ? "lost" : "media_missing", attempt)
    case "PostponeMedia":
      return Story.postponeMedia(at, attempt)
    case "RecordMedia":
      return Story.recordMedia(at, { attempt, result: hasResult ? Story.result : null })
    case "RefuseMedia":
      return Story.refuseMedia(at, attempt)
    case "Erase":
      return { _tag: name, at, reason: "requested" }
  }
}

export const decide = (command: Command, state: State): ReadonlyArray<Event> =>
  Result.getOrElse(decider.decide(command, state), () => [])

/** Executes the commands one by one and passes each result to `each`. */
export const play = (
  { deadlines, steps }: Life,
  each: (moment: {
    readonly command: Command
    readonly before: State
    readonly events: ReadonlyArray<Event>
    readonly after: State
  }) => void = () => {}
) => {
  let at = Story.request.at
  const submitted = Story.submittedWith(deadlines)
  let state: State = replay(decider, [submitted])
  const log: Array<Event> = [submitted]
  for (const next of steps) {
    at += next.after
    const command = toCommand(next, at, state)
    const events = decide(command, state).map(stored(codec))
    const after = replay(decider, events, state)
    each({ command, before: state, events, after })
    log.push(...events)
    state = after
  }
  return { log, state }
}

/** Expects that `property` holds for every life. A failure prints the seed and the shortest life. */
export const holds = (property: (life: Life) => void) =>
  fc.assert(fc.property(life, property), { numRuns: 2_000 })

export const ofType = <Tag extends Event["_tag"]>(
  log: ReadonlyArray<Event>,
  ...tags: ReadonlyArray<Tag>
): ReadonlyArray<Extract<Event, { readonly _tag: Tag }>> =>
  log.filter((event): event is Extract<Event, { readonly _tag: Tag }> =>
    (tags as ReadonlyArray<string>).includes(event._tag)
  )

export const terminalTypes = [
  "RequestCompleted",
  "RequestFailed",
  "RequestCancelled",
  "RequestForceFailed"
] as const
