import { Console, Context, Effect, Layer } from "effect"
import { Command } from "effect/cli"
import * as EarlyThread from "#projections/worker/EarlyThread.ts"
import { LogFailure } from "#streams/LogFailure.ts"
import * as ChosenLog from "#src/platform/log/ChosenLog.ts"
import { configured, DataDirectory, expectData, holdsLog } from "#src/kernel/disk/DataDirectory.ts"
import * as Failure from "./Failure.ts"

/** Reports a new log, so that an operator notices a data directory that is unexpectedly empty. */
const reportNewLog = Effect.gen(function* () {
  const directory = yield* configured
  if (yield* expectData.config) return
  if ((yield* ChosenLog.isShared) || holdsLog(directory)) return
  yield* Console.log(`${directory} contains no log: creating a new one`)
})

/** Loaded for this command only, so that other commands start faster. */
const server = Layer.unwrap(
  Effect.promise(async () => {
    EarlyThread.begin()
    const [AllSettings, Requirements, Server] = await Promise.all([
      import("#src/composition/settings/AllSettings.ts"),
      import("#src/platform/cluster/Requirements.ts"),
      import("#src/composition/Server.ts")
    ])
    const node = Server.layer.pipe(Layer.provide(DataDirectory.layer))
    // Checks run before anything is created or opened.
    return Layer.unwrap(Effect.as(Effect.all([AllSettings.validate, Requirements.check, reportNewLog]), node))
  })
)

export const serve = Command.make("serve", {}, () =>
  Layer.build(server).pipe(
    // A log that refuses appends ends the process, so that its supervisor restarts it.
    Effect.flatMap((services) => Failure.endSoon(Context.get(services, LogFailure).await)),
    Effect.scoped,
    Failure.untilStopped
  )
).pipe(
  Command.withDescription(
    "Run the server until SIGTERM or SIGINT. Settings are environment variables, such as HOST and PORT"
  ),
  Command.withShortDescription("Run the server"),
  Command.withExamples([
    { command: "inferlog serve", description: "Serve at http://127.0.0.1:8080, with data in ./data" },
    {
      command: "PORT=9000 inferlog serve --data-dir /var/lib/inferlog",
      description: "Use another port and data directory"
    }
  ])
)
