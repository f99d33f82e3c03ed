/** A progress line for a pass over the log. On NATS it shows commits, because positions count commits there. */
import { Effect } from "effect"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { ReadPlace } from "./ReadPlace.ts"
import * as ProgressLine from "#src/cli/ProgressLine.ts"

interface Stretch {
  readonly after: GlobalPosition.GlobalPosition
  /** `null` for a pass without an end. */
  readonly end: GlobalPosition.GlobalPosition | null
}

export const of = Effect.fnUntraced(function* (countsCommits: boolean, options: Stretch) {
  const done = (reached: GlobalPosition.GlobalPosition) =>
    GlobalPosition.sequence(reached) - GlobalPosition.sequence(options.after)
  const unit = countsCommits ? "commits" : "events"
  const line = yield* ProgressLine.make(options.end === null ? null : done(options.end), unit)
  return {
    report: (reached: GlobalPosition.GlobalPosition) => line.report(done(reached)),
    clear: line.clear
  }
})

/** For the log that the command reads. */
export const make = (stretch: Stretch) =>
  Effect.flatMap(ReadPlace, ({ countsCommits }) => of(countsCommits, stretch))
