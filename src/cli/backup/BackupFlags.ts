/** Arguments and secrets that `backup` and `restore` share. */
import * as fs from "node:fs"
import { Config, Effect, Option, Redacted, Result } from "effect"
import { Argument, Flag } from "effect/cli"
import * as TargetAddress from "#src/features/backup/target/TargetAddress.ts"
import { UsageError } from "#src/cli/Failure.ts"

/** The message repeats nothing of the address, which may contain a secret. */
export const address = (name: string, description: string) =>
  Argument.String(name).pipe(Argument.withDescription(`${description}: ${TargetAddress.expected}`))

export const locate = Effect.fnUntraced(function* (name: string, text: string) {
  const parsed = TargetAddress.parse(text)
  if (Result.isSuccess(parsed)) return parsed.success
  return yield* new UsageError({ message: `${name}: ${parsed.failure}` })
})

export const passphraseFile = Flag.Path("passphrase-file").pipe(
  Flag.withMetavar("FILE"),
  Flag.withDescription("A file whose first line is the passphrase of the keys; default: BACKUP_PASSPHRASE"),
  Flag.optional
)

const least = 12

const fromEnvironment = Config.option(Config.Redacted("BACKUP_PASSPHRASE"))

/** None when there is neither a file nor a variable. */
export const passphrase = Effect.fnUntraced(function* (file: Option.Option<string>) {
  const given = Option.isSome(file)
    ? Option.some(
        yield* Effect.try({
          try: () => Redacted.make((fs.readFileSync(file.value, "utf8").split("\n")[0] ?? "").trimEnd()),
          catch: () => new UsageError({ message: "--passphrase-file: the file cannot be read" })
        })
      )
    : yield* fromEnvironment
  if (Option.isSome(given) && Redacted.value(given.value).length < least) {
    return yield* new UsageError({
      message: `The passphrase is too short: expected at least ${least} characters`
    })
  }
  return given
})
