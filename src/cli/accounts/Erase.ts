import { Console, Effect, Stdio } from "effect"
import { Command, Prompt } from "effect/cli"
import type { AccountId } from "#domain/Ids.ts"
import { Administration } from "#src/edges/admin/Administration.ts"
import type { ErasingStep } from "#src/edges/admin/accounts/AccountOperations.ts"
import { UsageError } from "#src/cli/Failure.ts"
import * as OperatorAccess from "#src/cli/OperatorAccess.ts"
import * as Flags from "#src/cli/Flags.ts"
import * as Output from "#src/cli/Output.ts"
import * as ProgressLine from "#src/cli/ProgressLine.ts"

const flags = {
  account: Flags.account("The account to erase"),
  yes: Flags.toggle("yes", "Do not ask for confirmation. Required without a terminal")
}

const confirm = Effect.fnUntraced(function* (accountId: AccountId) {
  const stdio = yield* Stdio.Stdio
  if (!((yield* stdio.stdinIsTerminal) && (yield* stdio.stdoutIsTerminal))) {
    return yield* new UsageError({
      message: "This cannot be undone: add --yes, or run the command on a terminal"
    })
  }
  const message = `Close ${accountId} permanently and erase its inputs, outputs and files?`
  return yield* Prompt.run(Prompt.Confirm({ message })).pipe(
    Effect.catchTag("QuitError", () => Effect.interrupt)
  )
})

/** Pause between two rounds that wait for runs to stop. */
const pause = "500 millis"

/** Repeats rounds until one erases nothing, and no server is left to stop the runs that remain. */
const eraseAll = Effect.fnUntraced(function* (accountId: AccountId) {
  const { eraseAccount } = yield* Administration
  const progress = yield* ProgressLine.make(null, "requests and files erased")
  const rounds = Effect.gen(function* () {
    let total = 0
    let step: typeof ErasingStep.Type | undefined
    while (true) {
      step = yield* eraseAccount({ accountId, round: step?.round ?? null })
      const { erased, failed, open, place } = step.round
      yield* progress.report(total + erased)
      if (place !== null) continue
      total += erased
      if (erased > 0) continue
      if (open + failed === 0 || !step.goesOn) return { erased: total, open, failed }
      yield* Effect.sleep(pause)
    }
  })
  return yield* Effect.ensuring(rounds, progress.clear)
})

const remainder = (open: number, failed: number): string => {
  const running =
    open === 0 ? "" : ` ${Output.count(open)} still running: the next server stops and erases them.`
  return failed === 0 ? running : `${running} ${Output.count(failed)} failed: the next server tries again.`
}

export const erase = Command.make(
  "erase",
  { ...flags, json: Output.json },
  Effect.fnUntraced(function* ({ account: accountId, json, yes }) {
    if (!yes && !(yield* confirm(accountId))) return yield* Console.error("Nothing was erased.")
    // Opens the log after the confirmation, so that other commands can use it meanwhile.
    const { erased, failed, open } = yield* Effect.provide(eraseAll(accountId), OperatorAccess.layerExisting)
    if (json) {
      return yield* Output.printJson({ accountId, erased, open, failed, finished: open + failed === 0 })
    }
    yield* Console.log(
      `Closed ${accountId}; erased ${Output.counted(erased, "request or file", "requests and files")}.${remainder(open, failed)}`
    )
  })
).pipe(
  Command.withDescription(
    "Close an account permanently: its keys are refused at once, its requests are cancelled, and their inputs, outputs and " +
      "files are erased. Its ledger and its events remain. A running server does the work, and continues when this " +
      "command is interrupted"
  ),
  Command.withShortDescription("Close an account and erase its inputs, outputs and files"),
  Command.withExamples([
    { command: "inferlog accounts erase --account acc_0123456789abcdef" },
    {
      command: "inferlog accounts erase --account acc_0123456789abcdef --yes --json",
      description: "{ accountId, erased, open, failed, finished }"
    }
  ])
)
