import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import type { AccountId } from "#domain/Ids.ts"
import * as Audit from "#src/features/billing/audit/Audit.ts"
import * as Journal from "#src/features/billing/audit/Journal.ts"
import * as Period from "#src/features/billing/audit/Period.ts"
import * as Statement from "#src/features/billing/audit/Statement.ts"
import * as ChosenLog from "#src/platform/log/ChosenLog.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as Failure from "#src/cli/Failure.ts"
import * as LogProgress from "#src/cli/log/LogProgress.ts"
import * as ReadOnlyLog from "#src/cli/log/ReadOnlyLog.ts"
import type { Call } from "#src/edges/admin/log/LogClient.ts"
import * as Output from "#src/cli/Output.ts"
import * as Remote from "#src/cli/remote/Remote.ts"
import * as RemoteProof from "#src/cli/remote/RemoteProof.ts"
import * as Stdout from "#src/cli/Stdout.ts"
import * as AuditLines from "./AuditLines.ts"
import * as JournalWriter from "./JournalWriter.ts"
import * as Flags from "#src/cli/Flags.ts"
import * as AuditText from "./AuditText.ts"

const time = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar("TIME"),
    Flag.withDescription(description),
    Flag.filterMap(
      (text) => Option.fromNullishOr(Period.parseTime(text)),
      () => "Expected a date such as 2026-01-31 or a time such as 2026-01-31T12:00Z; UTC without a zone"
    ),
    Flag.optional
  )

const flags = {
  account: Flags.account("Show only this account; the audit still covers all").pipe(Flag.optional),
  from: time("from", "Show entries from this time on"),
  to: time("to", "Show entries before this time"),
  format: Flag.Literals("format", ["table", ...Journal.formats]).pipe(
    Flag.withDescription(
      "A statement of accounts (table), or the journal with one line per entry (csv, json)"
    ),
    Flag.withDefault("table" as const)
  ),
  json: Flags.toggle(
    "json",
    "Print the statement as a line of JSON for each account, and the proof as the last line"
  )
}

interface Choice {
  readonly account: Option.Option<AccountId>
  readonly period: Period.Period
}

/** Audits the whole log, whatever is shown of it. Fails when the log does not have the given account. */
const audit = Effect.fnUntraced(function* (
  { account }: Choice,
  listener: Pick<Audit.Options, "booked" | "opened"> & { readonly flush?: Effect.Effect<void> }
) {
  const directory = yield* DataDirectory
  // A head that cannot be read is reported by the audit itself.
  const anchors = yield* Effect.option(ChosenLog.headAnchors(directory))
  if (Option.exists(anchors, ({ length }) => length === 0)) {
    yield* Effect.logWarning("log.head is missing: missing events at the end of the log would go unnoticed")
  }
  const end = yield* (yield* EventReader).head
  const progress = yield* LogProgress.make({ after: GlobalPosition.beginning, end })
  const flush = listener.flush ?? Effect.void
  const wanted = Option.getOrNull(account)
  let isKnown = wanted === null
  const audited = yield* Audit.run(directory, {
    opened: (accountId, event) => {
      isKnown ||= accountId === wanted
      if (wanted === null || accountId === wanted) listener.opened(accountId, event)
    },
    booked: (booked) => {
      if (wanted === null || booked.accountId === wanted) listener.booked(booked)
    },
    onProgress: (_, position) => Effect.andThen(flush, progress.report(position))
  }).pipe(Effect.ensuring(progress.clear))
  if (isKnown) return audited
  return yield* new Failure.UsageError({ message: "--account: there is no such account on the log" })
})

const printStatement = Effect.fnUntraced(function* (choice: Choice, json: boolean) {
  const statement = Statement.make(choice.period)
  const audited = yield* audit(choice, {
    opened: (accountId, { time }) => statement.opened(accountId, time),
    booked: statement.booked
  })
  if (json) return yield* Stdout.write(AuditLines.make(statement.rows, audited))
  yield* Console.log(`${AuditText.statement(statement.rows)}\n\n${AuditText.proof(audited).join("\n")}`)
})

const printJournal = Effect.fnUntraced(function* (format: Journal.Format, choice: Choice) {
  const writer = yield* JournalWriter.make(format)
  const audited = yield* audit(choice, {
    opened: () => {},
    booked: (booked) => {
      if (Period.isWithin(choice.period, booked.event.time)) writer.add(booked)
    },
    flush: writer.flush
  }).pipe(writer.whenDone)
  yield* Console.error(AuditText.proof(audited).join("\n"))
}, Effect.scoped)

type Given = Command.Command.Config.Infer<typeof flags>

const timeOf = Option.match({ onNone: () => undefined, onSome: Output.time })

/** The journal as `--format json` is lines of JSON too. */
const callOf = ({ account, format, from, json, to }: Given): Call => ({
  path: "/audit",
  params: {
    format: format === "table" ? RemoteProof.formatOf(json) : format === "json" ? "journal" : "csv",
    account: Option.getOrUndefined(account),
    from: timeOf(from),
    to: timeOf(to)
  }
})

const here = Effect.fnUntraced(function* (choice: Choice, { format, json }: Given) {
  yield* format === "table" ? printStatement(choice, json) : printJournal(format, choice)
}, Effect.provide(ReadOnlyLog.layer))

export const auditCommand = Command.make(
  "audit",
  flags,
  Effect.fnUntraced(function* (given) {
    const { account, format, json } = given
    const period = { from: Option.getOrNull(given.from), to: Option.getOrNull(given.to) }
    if (period.from !== null && period.to !== null && period.to <= period.from) {
      return yield* new Failure.UsageError({ message: "--to: is not after --from" })
    }
    if (json && format === "csv") {
      return yield* new Failure.UsageError({ message: "--json: does not go with --format csv" })
    }
    yield* RemoteProof.orElsewhere(callOf(given), here({ account, period }, given))
  })
).pipe(
  Remote.administers,
  Command.withDescription(
    "Replay the log and prove the books: the chain and payloads as 'log verify' does, balanced entries, charges as quoted " +
      "for delivered output only, and the balances of the read model. Exits with 1 and reports the first event that breaks " +
      "a rule. Prints a statement of accounts, or the journal. Works while a server runs"
  ),
  Command.withShortDescription("Prove the books, and print a statement or the journal"),
  Command.withExamples([
    { command: "inferlog audit" },
    {
      command: "inferlog audit --from 2026-01-01 --to 2026-02-01",
      description: "The statement of January, UTC"
    },
    { command: "inferlog audit --format csv > journal.csv" }
  ])
)
