/** What a provider reports about a job that has an id of its own. */
import { Data, Effect } from "effect"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import type { JobState } from "./Provider.ts"
import type { NoAnswer } from "./NoAnswer.ts"
import type { ProviderAnswer } from "./ProviderHttp.ts"
import * as ErrorOutcomes from "./ErrorOutcomes.ts"

/** The current state. `logs` are all lines so far; known ones are dropped. */
export type JobReport =
  /** Has not begun. */
  | { readonly _tag: "Waiting" }
  /** The provider has the job and does not say whether it has begun. */
  | { readonly _tag: "Taken" }
  | { readonly _tag: "Running"; readonly fraction: number | null; readonly logs: ReadonlyArray<string> }
  | { readonly _tag: "Ended"; readonly outcome: ProviderOutcome; readonly logs: ReadonlyArray<string> }
  /** The answer cannot be read, and will be the same again. The job may still run. */
  | { readonly _tag: "Unreadable"; readonly outcome: ProviderOutcome }

export const waiting: JobReport = { _tag: "Waiting" }
export const taken: JobReport = { _tag: "Taken" }
export const running: JobReport = { _tag: "Running", fraction: null, logs: [] }
export const ended = (outcome: ProviderOutcome, logs: ReadonlyArray<string> = []): JobReport => ({
  _tag: "Ended",
  outcome,
  logs
})

export const isEnded = (report: JobReport | null): boolean => report?._tag === "Ended"

const unreadable = (outcome: ProviderOutcome): JobReport => ({ _tag: "Unreadable", outcome })

/** The state is unknown for now. `outcome` ends the run if that does not change. */
export class Unclear extends Data.TaggedError("Unclear")<{ readonly outcome: ProviderOutcome }> {}

export const unclear = (outcome: ProviderOutcome) => Effect.fail(new Unclear({ outcome }))

/** For `Effect.catchTag("NoAnswer", …)`. */
export const ofNoAnswer = (error: NoAnswer) => unclear(ErrorOutcomes.ofNoAnswer(error))

/** For a question about a job. */
export const ofNoState = (error: NoAnswer): Effect.Effect<JobReport, Unclear> =>
  error.reason === "undecodable"
    ? Effect.succeed(unreadable(ErrorOutcomes.ofNoAnswer(error)))
    : ofNoAnswer(error)

/** A successful answer about a job that is no state in the protocol. */
export const ofForm = (answer: ProviderAnswer): Effect.Effect<JobReport, Unclear> =>
  answer.fault === null
    ? unclear(ErrorOutcomes.babble)
    : Effect.succeed(unreadable(ErrorOutcomes.ofForm(answer)))

/**
 * What a status other than 2xx says about a job: with 404 and 410 it is gone, with others its state is unknown for now.
 */
export const ofAnswer = (answer: ProviderAnswer): Effect.Effect<JobReport, Unclear> =>
  answer.status === 404 || answer.status === 410
    ? Effect.succeed(ended(ErrorOutcomes.lost))
    : Effect.flatMap(ErrorOutcomes.ofAnswer(answer), unclear)

/** For `Provider.look`. An unknown state is a defect, as the port requires. */
export const look = (poll: Effect.Effect<JobReport, Unclear>): Effect.Effect<JobState> =>
  poll.pipe(
    Effect.map((report): JobState => {
      if (report._tag !== "Ended" && report._tag !== "Unreadable") return { _tag: "Alive" }
      return report.outcome._tag === "Lost"
        ? { _tag: "Unknown" }
        : { _tag: "Finished", outcome: report.outcome }
    }),
    Effect.orDie
  )
