/** Formats the statement of a period as a table: a row for each account, and a total. */
import type { AccountId } from "#domain/Ids.ts"
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

/** The table, followed by the revenue of the period. */
export const text = (rows: ReadonlyMap<AccountId, Statement.Row>): string => {
  const total = Statement.total(rows.values())
  const lines = Array.from(rows, ([accountId, row]) => cells(accountId, row))
  return `${Output.table(header, [...lines, cells("TOTAL", total)])}\nRevenue: ${usd(total.charges)}`
}
