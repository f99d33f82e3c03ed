/** A check of `doctor`, and how it is run: with a deadline, and every error is a verdict. */
import { Array, Cause, Config, Duration, Effect } from "effect"
import * as Failure from "#src/cli/Failure.ts"

/** `skipped`: there is nothing to check, or a setting that the check needs is wrong. */
type Outcome = "ok" | "warning" | "failed" | "skipped"

export interface Verdict {
  readonly outcome: Outcome
  /** What was found, without a full stop and without secrets. */
  readonly detail: string
  /** What to do about it; `null` when there is nothing to do. */
  readonly remedy: string | null
}

export interface Check {
  readonly name: string
  readonly look: Effect.Effect<Verdict, unknown>
}

export interface Finding extends Verdict {
  readonly name: string
}

export const ok = (detail: string): Verdict => ({ outcome: "ok", detail, remedy: null })
export const skipped = (detail: string): Verdict => ({ outcome: "skipped", detail, remedy: null })
export const warning = (detail: string, remedy: string): Verdict => ({ outcome: "warning", detail, remedy })
export const failed = (detail: string, remedy: string): Verdict => ({ outcome: "failed", detail, remedy })

const severity: ReadonlyArray<Outcome> = ["failed", "warning", "ok", "skipped"]

/** One verdict of many: the worst ones, with what is to be done about them. */
export const all = (verdicts: ReadonlyArray<Verdict>): Verdict => {
  const outcome = severity.find((one) => verdicts.some((verdict) => verdict.outcome === one)) ?? "skipped"
  const told = verdicts.filter((verdict) => verdict.remedy !== null || verdict.outcome === outcome)
  const remedies = Array.dedupe(told.flatMap(({ remedy }) => remedy ?? []))
  return {
    outcome,
    detail: told.map(({ detail }) => detail).join("; "),
    remedy: remedies.length === 0 ? null : remedies.join(". ")
  }
}

/** The longest time of a check. The connections that checks make have shorter limits of their own. */
const deadline = Duration.seconds(15)

const late = failed(
  `There was no answer for ${Duration.format(deadline)}`,
  "Look at the disk, the network and the server that it asks"
)

const unmended = "Mend what the message names, and run doctor again"

const ofError = (error: unknown): Verdict =>
  error instanceof Config.ConfigError
    ? skipped("A setting that it needs is wrong: see settings")
    : failed(Failure.describe(error), unmended)

/** Never fails. */
export const run = ({ look, name }: Check): Effect.Effect<Finding> =>
  look.pipe(
    Effect.timeoutOrElse({ duration: deadline, orElse: () => Effect.succeed(late) }),
    Effect.catchCause((cause) => Effect.succeed(ofError(Cause.squash(cause)))),
    Effect.map((verdict) => ({ name, ...verdict }))
  )
