import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import type { AccountId } from "#domain/Ids.ts"
import * as Audit from "#src/features/billing/audit/Audit.ts"
import * as Journal from "#src/features/billing/audit/Journal.ts"
import * as Period from "#src/features/billing/audit/Period.ts"
import * as Statement from "#src/features/billing/audit/Statement.ts"
import * as StoredState from "#src/features/billing/audit/StoredState.ts"
import * as ChosenLog from "#src/platform/log/ChosenLog.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as Failure from "#src/cli/Failure.ts"
import * as LogProgress from "#src/cli/log/LogProgress.ts"
import * as Checkpointing from "#src/cli/log/Checkpointing.ts"
import * as ReadOnlyLog from "#src/cli/log/ReadOnlyLog.ts"
import * as Checkpoints from "#src/platform/checkpoints/Checkpoints.ts"
import type { Call } from "#src/edges/admin/log/LogClient.ts"
import * as Output from "#src/cli/Output.ts"
import * as Remote from "#src/cli/remote/Remote.ts"
import * as RemoteProof from "#src/cli/remote/RemoteProof.ts"
import * as Stdout from "#src/cli/Stdout.ts"
import * as AuditLines from "./AuditLines.ts"
import * as Begin from "./Begin.ts"
import * as JournalWriter from "./JournalWriter.ts"
import * as Flags from "#src/cli/Flags.ts"
import type { AuditFailed } from "#src/features/billing/audit/Invariant.ts"
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
  ...Checkpointing.flags,
  json: Flags.toggle(
    "json",
    "Print the statement as a line of JSON for each account, and the proof as the last line"
  )
}

interface Choice {
  /** `null` for all. */
  readonly account: AccountId | null
  readonly period: Period.Period
  readonly place: Checkpoints.Place
  readonly found: ReadonlyArray<Checkpoints.Found>
  /** `null` to begin at the first event. */
  readonly beginning: Begin.Beginning | null
}

/** The proof of the log and the books, whatever is shown. Fails when the log does not have the given account. */
const audit = Effect.fnUntraced(function* (
  { account, beginning, found, place }: Choice,
  listener: Pick<Audit.Options, "booked" | "opened"> & { readonly flush?: Effect.Effect<void> }
) {
  const directory = yield* DataDirectory
  // A head that cannot be read is reported by the audit itself.
  const anchors = yield* Effect.option(ChosenLog.headAnchors(directory))
  if (Option.exists(anchors, ({ length }) => length === 0)) {
    yield* Effect.logWarning("log.head is missing: missing events at the end of the log would go unnoticed")
  }
  const end = yield* (yield* EventReader).head
  const from = beginning?.from ?? null
  const after = from?.facts.position ?? GlobalPosition.beginning
  const progress = yield* LogProgress.make({ after, end })
  const flush = listener.flush ?? Effect.void
  let isKnown = account === null || beginning?.resumed.accounts.has(account) === true
  const audited = yield* Audit.run(directory, {
    ...Checkpoints.startOf(found, from),
    ...(beginning && { resumed: beginning.resumed }),
    opened: (accountId, event) => {
      isKnown ||= accountId === account
      if (account === null || accountId === account) listener.opened(accountId, event)
    },
    booked: (booked) => {
      if (account === null || booked.accountId === account) listener.booked(booked)
    },
    onProgress: (_, position) => Effect.andThen(flush, progress.report(position))
  }).pipe(Effect.ensuring(progress.clear))
  if (!isKnown) {
    return yield* new Failure.UsageError({ message: "--account: there is no such account on the log" })
  }
  const state = { rules: StoredState.rules, bytes: StoredState.encode(audited.state) }
  const checkpoint = yield* Checkpointing.leave(place, { kind: "audit", from, verified: audited, state })
  return { audited, place, from, checkpoint }
})

type Proven = Effect.Success<ReturnType<typeof audit>>

const proofText = ({ audited, checkpoint, from, place }: Proven): string =>
  [
    ...AuditText.proof(audited),
    ...(audited.hash === "" ? [] : Checkpointing.textOf(place, from, checkpoint))
  ].join("\n")

/** The error line reports it for people. */
const printFailure = ({ invariant, position, reason }: AuditFailed) =>
  Output.printJson({ ok: false, position, rule: invariant, reason })

const printStatement = Effect.fnUntraced(function* (choice: Choice, json: boolean) {
  const { account, beginning, period } = choice
  const statement = Statement.make(period, Begin.rowsOf(beginning, period, account))
  const proven = yield* audit(choice, {
    opened: (accountId, { time }) => statement.opened(accountId, time),
    booked: statement.booked
  }).pipe(Effect.tapErrorTag("AuditFailed", (failed) => (json ? printFailure(failed) : Effect.void)))
  if (json) return yield* Stdout.write(AuditLines.make(statement.rows, proven))
  yield* Console.log(`${AuditText.statement(statement.rows)}\n\n${proofText(proven)}`)
})

const printJournal = Effect.fnUntraced(function* (format: Journal.Format, choice: Choice) {
  const writer = yield* JournalWriter.make(format)
  const proven = yield* audit(choice, {
    opened: () => {},
    booked: (booked) => {
      if (Period.isWithin(choice.period, booked.event.time)) writer.add(booked)
    },
    flush: writer.flush
  }).pipe(writer.whenDone)
  yield* Console.error(proofText(proven))
}, Effect.scoped)

type Given = Command.Command.Config.Infer<typeof flags>

const timeOf = Option.match({ onNone: () => undefined, onSome: Output.time })

/** The journal as `--format json` is lines of JSON too. */
const callOf = ({ account, format, from, incremental, json, to }: Given): Call => ({
  path: "/audit",
  params: {
    format: format === "table" ? RemoteProof.formatOf(json) : format === "json" ? "journal" : "csv",
    account: Option.getOrUndefined(account),
    ...Checkpointing.paramOf(incremental),
    from: timeOf(from),
    to: timeOf(to)
  }
})

const here = Effect.fnUntraced(function* (given: Given, period: Period.Period) {
  const { format, incremental, json } = given
  const { found, place } = yield* Checkpointing.load(given)
  const wanted = { period, hasEntries: format !== "table" }
  const beginning = incremental ? yield* Begin.find(place, found, wanted) : null
  const choice = { account: Option.getOrNull(given.account), period, place, found, beginning }
  yield* format === "table" ? printStatement(choice, json) : printJournal(format, choice)
}, Effect.provide(ReadOnlyLog.layer))

export const auditCommand = Command.make(
  "audit",
  flags,
  Effect.fnUntraced(function* (given) {
    const { format, json } = given
    const period = { from: Option.getOrNull(given.from), to: Option.getOrNull(given.to) }
    if (period.from !== null && period.to !== null && period.to <= period.from) {
      return yield* new Failure.UsageError({ message: "--to: is not after --from" })
    }
    if (json && format === "csv") {
      return yield* new Failure.UsageError({ message: "--json: does not go with --format csv" })
    }
    yield* Checkpointing.checkElsewhere(given)
    yield* RemoteProof.orElsewhere(callOf(given), here(given, period))
  })
).pipe(
  Remote.administers,
  Command.withDescription(
    "Replay the log and prove the books: the chain and payloads as 'log verify' does, balanced entries, charges as quoted " +
      "for delivered output only, and the balances of the read model. Exits with 1 and reports the first event that breaks " +
      "a rule. Prints a statement of accounts, or the journal. Leaves a signed checkpoint, at which --incremental begins. " +
      "Works while a server runs"
  ),
  Command.withShortDescription("Prove the books, and print a statement or the journal"),
  Command.withExamples([
    { command: "inferlog audit" },
    { command: "inferlog audit --incremental", description: "Audit what is new since the last audit" },
    {
      command: "inferlog audit --from 2026-01-01 --to 2026-02-01",
      description: "The statement of January, UTC"
    },
    { command: "inferlog audit --format csv > journal.csv" }
  ])
)
