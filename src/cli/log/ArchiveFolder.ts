/** The folder that a command about the archive names. */
import * as path from "node:path"
import { Effect } from "effect"
import * as ChosenLog from "#src/platform/log/ChosenLog.ts"
import { CommandError, UsageError } from "#src/cli/Failure.ts"

/** Refuses a log on NATS. */
export const checkLog = Effect.gen(function* () {
  if (yield* ChosenLog.isShared) {
    return yield* new CommandError({
      message: "EVENT_STORE: only a log in the data directory can be archived, not one on NATS"
    })
  }
})

/** The absolute path. */
export const of = Effect.fnUntraced(function* (target: string) {
  if (target === "") return yield* new UsageError({ message: "TARGET: Expected a folder" })
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(target)) {
    return yield* new UsageError({ message: "TARGET: Expected a folder; buckets are not supported yet" })
  }
  return path.resolve(target)
})
