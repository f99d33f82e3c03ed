/**
 * A progress line for a pass over the log, by position. On NATS positions count commits, and the number of events is
 * unknown, so the line shows commits.
 */
import { Effect } from "effect"
import * as ChosenLog from "#src/platform/log/ChosenLog.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as ProgressLine from "#src/cli/ProgressLine.ts"

export interface LogProgress {
  readonly report: (reached: GlobalPosition.GlobalPosition) => Effect.Effect<void>
  readonly clear: Effect.Effect<void>
}

export interface Stretch {
  readonly after: GlobalPosition.GlobalPosition
  /** `null` for a pass without an end. */
  readonly end: GlobalPosition.GlobalPosition | null
}

export const of = Effect.fnUntraced(function* (countsCommits: boolean, options: Stretch) {
  const done = (reached: GlobalPosition.GlobalPosition) =>
    GlobalPosition.sequence(reached) - GlobalPosition.sequence(options.after)
  const unit = countsCommits ? "commits" : "events"
  const line = yield* ProgressLine.make(options.end === null ? null : done(options.end), unit)
  return { report: (reached) => line.report(done(reached)), clear: line.clear } satisfies LogProgress
})

/** For the log of `EVENT_STORE`. */
export const make = (stretch: Stretch) =>
  Effect.flatMap(ChosenLog.countsCommits, (countsCommits) => of(countsCommits, stretch))
