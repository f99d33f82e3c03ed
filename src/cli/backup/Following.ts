/** `backup --follow`: adds what is new every second, and goes on when the target or the log is away for a while. */
import { Effect, Schedule } from "effect"
import * as TargetFault from "#src/features/backup/target/TargetFault.ts"
import * as Failure from "#src/cli/Failure.ts"

/** What a target or a log that is away for a while causes. */
const isPassing = ({ _tag }: { readonly _tag: string }) =>
  _tag === "BlobStoreError" || _tag === "EventStoreError"

/** Time between two tries after a failure. */
const retrying = Schedule.min([Schedule.exponential("1 second"), Schedule.spaced("1 minute")])

interface Failing {
  readonly _tag: string
  readonly message: string
}

/** Ends with a signal, or with an error that waiting does not mend. Warns once for each time that something is away. */
export const run = <E extends Failing, R>(addNew: Effect.Effect<void, E, R>): Effect.Effect<void, E, R> => {
  let isAway = false
  const warn = (error: E) => {
    if (isAway || !isPassing(error)) return Effect.void
    isAway = true
    return Effect.logWarning(
      `What is new is not backed up: trying again until it is. ${Failure.describe(TargetFault.unwrap(error))}`
    )
  }
  const isBack = Effect.suspend(() => {
    if (!isAway) return Effect.void
    isAway = false
    return Effect.logInfo("Everything is backed up again")
  })
  const patiently = addNew.pipe(
    Effect.tapError(warn),
    Effect.retry({ schedule: retrying, while: isPassing }),
    Effect.andThen(isBack),
    Effect.repeat(Schedule.spaced("1 second"))
  )
  // The pieces of an interrupted pass are removed by this one.
  const last = Effect.catch(addNew, (error) =>
    Effect.logWarning(`What was left is not backed up. ${Failure.describe(TargetFault.unwrap(error))}`)
  )
  return Failure.untilStopped(Effect.asVoid(Effect.onInterrupt(patiently, () => last)))
}
