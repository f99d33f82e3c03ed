/** `init`: makes an empty log where `EXPECT_DATA` expects one. */
import { Console, Effect, Layer, Schema } from "effect"
import { Command } from "effect/cli"
import * as ChosenLog from "#src/platform/log/ChosenLog.ts"
import { configured, DataDirectory, holdsLog } from "#src/kernel/disk/DataDirectory.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import { UsageError } from "./Failure.ts"
import * as Output from "./Output.ts"

export class LogExists extends Schema.TaggedError<LogExists>()("LogExists", { directory: Schema.String }) {
  override get message(): string {
    return `DATA_DIR: there is a log in ${this.directory} already`
  }
}

const check = Effect.gen(function* () {
  if (yield* ChosenLog.isShared) {
    return yield* new UsageError({
      message:
        "init makes a log in DATA_DIR, and EVENT_STORE names one at NATS servers: the first node makes that"
    })
  }
  const directory = yield* configured
  if (holdsLog(directory)) return yield* new LogExists({ directory })
  return directory
})

export const init = Command.make(
  "init",
  { json: Output.json },
  Effect.fnUntraced(function* ({ json }) {
    const directory = yield* check
    yield* MasterKey.layer.pipe(
      Layer.provideMerge(SqliteEventStore.layer(directory)),
      Layer.provide(DataDirectory.layerAt(directory)),
      Layer.build,
      Effect.scoped
    )
    yield* json ? Output.printJson({ directory }) : Console.log(`Made an empty log in ${directory}.`)
  })
).pipe(
  Command.withDescription(
    "Make an empty log and its master key in DATA_DIR, for servers that run with EXPECT_DATA=true. Fails when there is a " +
      "log already"
  ),
  Command.withShortDescription("Make an empty log"),
  Command.withExamples([{ command: "inferlog init --data-dir /var/lib/inferlog" }])
)
