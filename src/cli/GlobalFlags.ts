/** Flags of all commands: settings that override the environment, and `--completions`. */
import { ConfigProvider, Console, Effect, Option, Record } from "effect"
import { Command, Completions, Flag, GlobalFlag } from "effect/cli"

export const DataDir = GlobalFlag.Setting("data-dir")({
  flag: Flag.String("data-dir").pipe(
    Flag.withDescription("Data directory of the server (default: DATA_DIR, or ./data)"),
    Flag.optional
  )
})

/** The environment, overridden by the given flags. */
export const configProvider = Effect.gen(function* () {
  const environment = yield* ConfigProvider.ConfigProvider
  const flags = Record.getSomes({ DATA_DIR: yield* DataDir, LOG_LEVEL: yield* GlobalFlag.LogLevel })
  return ConfigProvider.orElse(ConfigProvider.fromUnknown(flags), environment)
})

const completions = Flag.Literals("completions", ["bash", "zsh", "fish", "powershell"]).pipe(
  Flag.withDescription("Print a completion script for this shell"),
  Flag.optional
)

const everywhere = Completions.fromCommand(
  Command.make("everywhere", {
    dataDir: DataDir.flag,
    logLevel: GlobalFlag.LogLevel.flag,
    help: GlobalFlag.Help.flag.pipe(Flag.withoutNegation)
  })
).flags

const root = Completions.fromCommand(
  Command.make("root", { completions, version: GlobalFlag.Version.flag.pipe(Flag.withoutNegation) })
).flags

const withGlobalFlags = (command: Completions.CommandDescriptor): Completions.CommandDescriptor => ({
  ...command,
  flags: [...command.flags, ...everywhere],
  subcommands: command.subcommands.map(withGlobalFlags)
})

/** Effect's completions, with the global flags, which Effect omits. */
export const Completion = GlobalFlag.Action({
  flag: completions,
  run: (shell, { command }) =>
    Option.match(shell, {
      onNone: () => Effect.void,
      onSome: (shell) => {
        const known = withGlobalFlags(Completions.fromCommand(command))
        const descriptor = { ...known, flags: [...known.flags, ...root] }
        return Console.log(Completions.generate(command.name, shell, descriptor))
      }
    })
})
