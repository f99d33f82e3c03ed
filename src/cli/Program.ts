/** The command line, from its arguments to its output. `Failure.teardown` sets the exit code. */
import { ConfigProvider, Console, Effect, Layer, Logger, References, Stdio } from "effect"
import { CliConfig, CliOutput, Command, GlobalFlag } from "effect/cli"
import * as ArchiveSource from "#src/platform/log/ArchiveSource.ts"
import * as Commands from "./Commands.ts"
import * as Failure from "./Failure.ts"
import * as Remote from "./remote/Remote.ts"
import * as Output from "./Output.ts"
import * as GlobalFlags from "./GlobalFlags.ts"
import { version } from "#src/kernel/program/ReleaseVersion.ts"

const inferlog = Command.make("inferlog").pipe(
  Command.withDescription(
    "Asynchronous model inference on an event log. Commands work with and without a running server. " +
      "Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted"
  ),
  Command.withExamples([
    { command: "inferlog serve", description: "Run the server" },
    { command: "inferlog keys create --name ci", description: "Create an API key" },
    { command: "inferlog log verify", description: "Prove that the log is unchanged" }
  ])
)

/** Prints requested help to stdout. A wrong invocation prints only its errors, to stderr. */
const presenter: CliOutput.Presenter = {
  present: (event) => {
    if (event._tag !== "InvalidInvocation") return CliOutput.defaultPresenter.present(event)
    const errors = event.errors.map(
      (error) => `inferlog: ${Output.printableLines(Remote.refusalOf(error) ?? error.message)}`
    )
    return Console.error([...errors, `Try '${event.commandPath.join(" ")} --help'.`].join("\n"))
  }
}

const builtIns = [GlobalFlag.Help, GlobalFlag.Version, GlobalFlags.Completion]

/** Reads its arguments and settings from `Stdio` and `ConfigProvider`, and prints to `Console`. */
export const program = Stdio.Stdio.use(({ args }) => args).pipe(
  Effect.flatMap(Commands.named),
  Effect.flatMap((commands) =>
    inferlog.pipe(
      Command.withSubcommands(commands),
      Command.provideEffect(ConfigProvider.ConfigProvider, GlobalFlags.configProvider),
      Command.withGlobalFlags([GlobalFlags.DataDir, GlobalFlag.LogLevel]),
      Command.run({ version })
    )
  ),
  Effect.tapCause(Failure.report),
  Effect.provide([
    CliOutput.layerPresenter(presenter),
    CliConfig.layer({ builtIns }),
    // Only results go to stdout. The server sets its own level (LOG_LEVEL).
    Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)]),
    Layer.succeed(References.MinimumLogLevel, "Warn"),
    ArchiveSource.layer
  ])
)
