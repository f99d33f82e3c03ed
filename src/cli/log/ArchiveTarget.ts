/** The place that a command about the archive names: a folder, or a bucket. */
import { Effect, Option, Result } from "effect"
import * as ArchivePlace from "#src/features/archive/ArchivePlace.ts"
import { archive as setting } from "#src/features/archive/ArchiveSetting.ts"
import * as ChosenLog from "#src/platform/log/ChosenLog.ts"
import { CommandError, UsageError } from "#src/cli/Failure.ts"

export const description = "The folder of the segments, or s3://<bucket>/<prefix>?endpoint=…&region=…"

/** Refuses a log on NATS. */
export const checkLog = Effect.gen(function* () {
  if (yield* ChosenLog.isShared) {
    return yield* new CommandError({
      message: "EVENT_STORE: only a log in the data directory can be archived, not one on NATS"
    })
  }
})

/** @param directory the data directory. */
export const of = Effect.fnUntraced(function* (target: string, directory: string) {
  const refusal = (reason: string) => new UsageError({ message: `TARGET: ${reason}` })
  return yield* Effect.fromResult(Result.mapError(ArchivePlace.parse(target, directory), refusal))
})

/** Without a target, the place is that of `ARCHIVE`. */
export const orSetting = Effect.fnUntraced(function* (target: Option.Option<string>, directory: string) {
  const chosen = Option.isSome(target) ? target : yield* setting.config
  if (Option.isNone(chosen)) {
    return yield* new UsageError({
      message: `TARGET: expected ${ArchivePlace.expected}, or the setting ARCHIVE`
    })
  }
  return yield* of(chosen.value, directory)
})
