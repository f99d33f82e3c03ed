/** Formats the output of an audit: the statement of a period as a table, and the proof in sentences. */
import type { AccountId } from "#domain/Ids.ts"
import type { Audited } from "#src/features/billing/audit/Audit.ts"
import { usd } from "#src/features/billing/audit/Books.ts"
import * as Statement from "#src/features/billing/audit/Statement.ts"
import * as Output from "#src/cli/Output.ts"

const header = [
  "ACCOUNT",
  "OPENING",
  "TOP-UPS",
  "CHARGES",
  "CLOSING",
  "HELD",
  "AVAILABLE",
  "CHARGED",
  "PARTIAL",
  "NOT BILLED"
]

const cells = (name: string, row: Statement.Row): ReadonlyArray<string> => [
  name,
  usd(row.opening),
  usd(row.topUps),
  usd(row.charges),
  usd(Statement.closing(row)),
  usd(row.held),
  usd(Statement.available(row)),
  Output.count(row.charged),
  Output.count(row.partial),
  Output.count(row.notBilled)
]

/** A row for each account, a total, and the revenue of the period. */
export const statement = (rows: ReadonlyMap<AccountId, Statement.Row>): string => {
  const total = Statement.total(rows.values())
  const lines = Array.from(rows, ([accountId, row]) => cells(accountId, row))
  return `${Output.table(header, [...lines, cells("TOTAL", total)])}\nRevenue: ${usd(total.charges)}`
}

export const proof = (audited: Audited): ReadonlyArray<string> => {
  const { accounts, digest, entries, erasedPayloads, events, openRequests, overdrafts, payloads } = audited
  return [
    `The books are right: ${Output.counted(events, "event")}, ${Output.counted(payloads, "payload")} and ` +
      `${Output.count(erasedPayloads)} erased ones, ${Output.counted(entries, "entry", "entries")}, ` +
      `${Output.counted(accounts, "account")}, ${Output.counted(openRequests, "open request")}.`,
    readModel(audited),
    ...overdrafts.map(
      ({ accountId, position, requests, worst }) =>
        `Warning: ${accountId} went up to ${usd(worst)} beyond its credit limit with ${Output.counted(requests, "request")}, ` +
        `first at position ${position}. Several nodes may do this while they lag behind each other; a single node only while ` +
        `a limit is being lowered.`
    ),
    ...(audited.hash !== "" ? [`Anchor: ${audited.position}:${digest}`] : [])
  ]
}

const readModel = ({ readModel }: Audited): string => {
  if (readModel._tag === "NotCompared") return `Read model: not compared, ${readModel.reason}.`
  const { behind } = readModel
  const where = behind === 0 ? "" : `, ${Output.counted(behind, "event")} before the end`
  return `Read model: it agrees as of position ${readModel.position}${where}.`
}
