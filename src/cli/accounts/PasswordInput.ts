/** Reads a password: typed twice without echo, or the first line of stdin. Never an argument. */
import { Effect, Redacted, Stdio, Stream } from "effect"
import { Prompt } from "effect/cli"
import type { AccountId } from "#domain/Ids.ts"
import * as PasswordText from "#src/features/accounts/PasswordText.ts"
import { UsageError } from "#src/cli/Failure.ts"

const wrong = (message: string) => new UsageError({ message })

/** Errors never contain the password. */
const refused = `Expected ${PasswordText.expectation}`

const ask = (message: string) =>
  Prompt.run(
    Prompt.Hidden({
      message,
      validate: (text) => (PasswordText.isPassword(text) ? Effect.succeed(text) : Effect.fail(refused))
    })
  ).pipe(Effect.catchTag("QuitError", () => Effect.interrupt))

const typed = Effect.fnUntraced(function* (accountId: AccountId) {
  const first = yield* ask(`New password of ${accountId}`)
  const second = yield* ask("Repeat the password")
  return Redacted.value(first) === Redacted.value(second) ? first : yield* wrong("The two passwords differ")
})

/** Without the line terminator. */
const piped = Effect.fnUntraced(function* ({ stdin }: Stdio.Stdio) {
  const [line] = yield* stdin.pipe(
    Stream.decodeText,
    Stream.splitLines,
    Stream.take(1),
    Stream.runCollect,
    Effect.mapError(() => wrong("stdin cannot be read"))
  )
  if (line === undefined) return yield* wrong(`stdin is empty: ${refused} on the first line`)
  if (line.includes("\u{fffd}")) return yield* wrong("stdin: Expected UTF-8")
  return PasswordText.isPassword(line) ? Redacted.make(line) : yield* wrong(`stdin: ${refused}`)
})

export const read = Effect.fnUntraced(function* (accountId: AccountId) {
  const stdio = yield* Stdio.Stdio
  if (!(yield* stdio.stdinIsTerminal)) return yield* piped(stdio)
  if (yield* stdio.stdoutIsTerminal) return yield* typed(accountId)
  return yield* wrong(
    "stdout is not a terminal, so the command cannot ask for the password: pipe it to stdin"
  )
})
