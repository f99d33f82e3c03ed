/** What commands that read events need to know of the place of the log. */
import { Context, Effect, Layer } from "effect"
import * as ChosenLog from "#src/platform/log/ChosenLog.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import * as FilesInPlace from "#streams/sqlite/FilesInPlace.ts"
import * as LogFiles from "#streams/sqlite/LogFiles.ts"
import { CommandError } from "#src/cli/Failure.ts"

export class ReadPlace extends Context.Service<
  ReadPlace,
  {
    /** Whether positions count commits of one or more events instead of events. */
    readonly countsCommits: boolean
    /** Fails when the file is removed or replaced, because new events would never arrive. */
    readonly untilReplaced: Effect.Effect<never, CommandError>
  }
>()("inferlog/src/cli/log/ReadPlace") {
  /** The log of this machine, or of the servers that `EVENT_STORE` names, which has no file. */
  static readonly layer = Layer.effect(
    ReadPlace,
    Effect.gen(function* () {
      const countsCommits = yield* ChosenLog.countsCommits
      if (yield* ChosenLog.isShared) return ReadPlace.of({ countsCommits, untilReplaced: Effect.never })
      const { log } = LogFiles.files(yield* DataDirectory)
      const displaced = FilesInPlace.make([log])
      const untilReplaced = Effect.sync(displaced).pipe(
        Effect.delay("1 second"),
        Effect.repeat({ until: (filename) => filename !== undefined }),
        Effect.andThen(Effect.fail(new CommandError({ message: `DATA_DIR: ${log} was removed or replaced` })))
      )
      return ReadPlace.of({ countsCommits, untilReplaced })
    })
  )
}
