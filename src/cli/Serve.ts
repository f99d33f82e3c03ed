import { Console, Context, Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { LogFailure } from "#streams/LogFailure.ts"
import * as ChosenLog from "#src/platform/log/ChosenLog.ts"
import { configured, DataDirectory, expectData, holdsLog } from "#src/kernel/disk/DataDirectory.ts"
import * as Failure from "./Failure.ts"

/** Shows at once that a directory which should hold data is empty. */
const tellOfNewLog = Effect.gen(function* () {
  const directory = yield* configured
  if (yield* expectData.config) return
  if ((yield* ChosenLog.isShared) || holdsLog(directory)) return
  yield* Console.log(`There is no log in ${directory}: this start begins a new one`)
})

/** Loaded by nobody else: the other commands start in a fraction of its time. */
const server = Layer.unwrap(
  Effect.promise(async () => {
    const [AllSettings, Requirements, Server] = await Promise.all([
      import("#src/composition/settings/AllSettings.ts"),
      import("#src/platform/cluster/Requirements.ts"),
      import("#src/composition/Server.ts")
    ])
    const node = Server.layer.pipe(Layer.provide(DataDirectory.layer))
    // Before anything is made or opened.
    return Layer.unwrap(Effect.as(Effect.all([AllSettings.validate, Requirements.check, tellOfNewLog]), node))
  })
)

export const serve = Command.make("serve", {}, () =>
  Layer.build(server).pipe(
    // A log that takes no more appends ends the process, so that whoever watches it starts it anew.
    Effect.flatMap((services) => Failure.endSoon(Context.get(services, LogFailure).await)),
    Effect.scoped,
    Failure.untilStopped
  )
).pipe(
  Command.withDescription(
    "Run the server until SIGTERM or SIGINT. Settings are environment variables, HOST and PORT among them"
  ),
  Command.withShortDescription("Run the server"),
  Command.withExamples([
    { command: "inferlog serve", description: "Serve at http://127.0.0.1:8080, with the state in ./data" },
    {
      command: "PORT=9000 inferlog serve --data-dir /var/lib/inferlog",
      description: "Another port and place"
    }
  ])
)
