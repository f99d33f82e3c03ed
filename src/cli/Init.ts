/** `init`: creates an empty log, for servers that run with `EXPECT_DATA=true`. */
import { Console, Effect, Layer } from "effect"
import { Command } from "effect/cli"
import * as ChosenLog from "#src/platform/log/ChosenLog.ts"
import { configured, DataDirectory, holdsLog } from "#src/kernel/disk/DataDirectory.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import { CommandError, UsageError } from "./Failure.ts"
import * as Output from "./Output.ts"

export const init = Command.make(
  "init",
  { json: Output.json },
  Effect.fnUntraced(function* ({ json }) {
    if (yield* ChosenLog.isShared) {
      return yield* new UsageError({
        message:
          "init creates a log in DATA_DIR, but EVENT_STORE names a log on NATS, which the first node creates"
      })
    }
    const directory = yield* configured
    if (holdsLog(directory)) {
      return yield* new CommandError({ message: `DATA_DIR: ${directory} already contains a log` })
    }
    yield* MasterKey.layer.pipe(
      Layer.provideMerge(SqliteEventStore.layer(directory)),
      Layer.provide(DataDirectory.layerAt(directory)),
      Layer.build,
      Effect.scoped
    )
    yield* json ? Output.printJson({ directory }) : Console.log(`Created an empty log in ${directory}.`)
  })
).pipe(
  Command.withDescription(
    "Create an empty log and its master key in DATA_DIR, for servers that run with EXPECT_DATA=true. Fails when the " +
      "directory already contains a log"
  ),
  Command.withShortDescription("Create an empty log"),
  Command.withExamples([{ command: "inferlog init --data-dir /var/lib/inferlog" }])
)
