/** How many requests an account has of each model and status. A counter that comes to 0 has no row. */
import type { DatabaseSync } from "node:sqlite"
import * as CounterTable from "../batch/CounterTable.ts"
import type { Kept } from "../Projection.ts"
import type { HistoryRow } from "./HistoryRows.ts"

export const tables = `
  CREATE TABLE history_counters (
    account_id TEXT NOT NULL,
    model TEXT NOT NULL,
    status TEXT NOT NULL,
    requests INTEGER NOT NULL,
    PRIMARY KEY (account_id, model, status)
  ) STRICT, WITHOUT ROWID;
`

export interface HistoryCounters extends Kept {
  /** Moves a row to where its status says, once it is written. */
  readonly count: (row: HistoryRow) => void
}

const nameOf = ({ accountId, model }: HistoryRow, status: string): string =>
  CounterTable.nameOf(accountId, model, status)

export const make = (db: DatabaseSync): HistoryCounters => {
  const counters = CounterTable.make(db, {
    table: "history_counters",
    columns: ["account_id", "model", "status"],
    count: "requests"
  })
  return {
    ...counters,
    count: (row) => {
      if (row.countedAs === row.status) return
      counters.move(row.countedAs === null ? null : nameOf(row, row.countedAs), nameOf(row, row.status))
      row.countedAs = row.status
    }
  }
}
