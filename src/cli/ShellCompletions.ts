/** `--completions`: Effect's completions, with the global flags, which Effect omits. */
import { Console, Effect, Option } from "effect"
import { Command, Completions, Flag, GlobalFlag } from "effect/cli"
import * as SettingFlags from "./SettingFlags.ts"

const flag = Flag.Literals("completions", ["bash", "zsh", "fish", "powershell"]).pipe(
  Flag.withDescription("Print a completion script for this shell"),
  Flag.optional
)

const everywhere = Completions.fromCommand(
  Command.make("everywhere", {
    dataDir: SettingFlags.DataDir.flag,
    logLevel: GlobalFlag.LogLevel.flag,
    help: GlobalFlag.Help.flag.pipe(Flag.withoutNegation)
  })
).flags

const root = Completions.fromCommand(
  Command.make("root", { completions: flag, version: GlobalFlag.Version.flag.pipe(Flag.withoutNegation) })
).flags

const withGlobalFlags = (command: Completions.CommandDescriptor): Completions.CommandDescriptor => ({
  ...command,
  flags: [...command.flags, ...everywhere],
  subcommands: command.subcommands.map(withGlobalFlags)
})

export const flagOfRoot = GlobalFlag.Action({
  flag,
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
