/** The journal: every ledger entry as a line for people and programs (docs/reference/cli.md, "audit"). */
import type { Entry } from "#domain/Ledger.ts"
import { format } from "#domain/Money.ts"
import * as Csv from "#src/kernel/text/Csv.ts"
import type { Booked } from "./Auditor.ts"

export const formats = ["csv", "json"] as const
export type Format = (typeof formats)[number]

const columns = [
  "date",
  "account",
  "debit",
  "credit",
  "amount",
  "kind",
  "request",
  "model",
  "reference",
  "position"
] as const

type Line = Record<(typeof columns)[number], string | null>

const lineOf = ({ accountId, event, model, reference, requestId }: Booked, entry: Entry): Line => ({
  date: new Date(event.time).toISOString(),
  account: accountId,
  debit: entry.debit,
  credit: entry.credit,
  amount: format(entry.amount),
  kind: entry.kind,
  request: requestId,
  model,
  reference,
  position: event.position
})

/** The header. */
export const header = (format: Format): string => (format === "csv" ? Csv.line(columns) : "")

/** The lines of an event's entries. */
export const lines = (format: Format, booked: Booked): string => {
  let text = ""
  for (const entry of booked.entries) {
    const line = lineOf(booked, entry)
    text += format === "csv" ? csv(line) : json(line)
  }
  return text
}

const csv = (line: Line): string => Csv.line(columns.map((column) => Csv.text(line[column] ?? "")))

/** Also escapes control characters that JSON does not, for terminals. */
const json = (line: Line): string =>
  JSON.stringify(line).replace(
    /[\u007f-\u009f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  ) + "\n"
