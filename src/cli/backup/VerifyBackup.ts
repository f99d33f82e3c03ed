/** `backup TARGET --verify`: proves a backup where it is, and reports all that is wrong. */
import { Console, Effect, Option, type Redacted } from "effect"
import * as Scratch from "#src/features/backup/target/Scratch.ts"
import type { TargetAddress } from "#src/features/backup/target/TargetAddress.ts"
import * as Targets from "#src/features/backup/target/Targets.ts"
import * as Verification from "#src/features/backup/verifying/Verification.ts"
import { CommandError } from "#src/cli/Failure.ts"
import * as Output from "#src/cli/Output.ts"

interface Options {
  readonly address: TargetAddress
  readonly passphrase: Option.Option<Redacted.Redacted<string>>
  readonly json: boolean
}

const print = Effect.fnUntraced(function* ({ bytes, damaged, logs, pieces }: Verification.Report) {
  for (const { piece, reason } of damaged) yield* Console.log(`${piece} ${reason}`)
  yield* Console.log(
    `${Output.counted(pieces, "piece")} and ${Output.count(bytes)} bytes were read, of ${Output.counted(logs.length, "base")}.`
  )
  if (damaged.length > 0) return
  for (const { digest, events, position } of logs) {
    yield* Console.log(`Verified ${Output.counted(events ?? 0, "event")}. Anchor: ${position}:${digest}`)
  }
})

export const run = Effect.fn("VerifyBackup.run")(function* ({ address, json, passphrase }: Options) {
  const source = yield* Targets.openSource(address)
  const report = yield* Verification.run({
    source,
    scratch: yield* Scratch.make,
    passphrase: Option.getOrNull(passphrase)
  })
  const isIntact = report.damages === 0
  yield* json ? Output.printJson({ target: source.name, ok: isIntact, ...report }) : print(report)
  if (isIntact) return
  return yield* new CommandError({
    message: `The backup is damaged: ${Output.counted(report.damages, "piece")} not as written. Start a new base with --full`
  })
}, Effect.scoped)
