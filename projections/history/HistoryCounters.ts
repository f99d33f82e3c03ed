/** How many requests an account has of each model and status. A counter that comes to 0 has no row. */
import type { DatabaseSync } from "node:sqlite"
import * as Counters from "../batch/Counters.ts"
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

/** In no id, name or word. */
const separator = "\0"

const nameOf = ({ accountId, model }: HistoryRow, status: string): string =>
  accountId + separator + model + separator + status

export const make = (db: DatabaseSync): HistoryCounters => {
  const add = db.prepare(`INSERT INTO history_counters VALUES (?, ?, ?, ?)
    ON CONFLICT (account_id, model, status) DO UPDATE SET requests = requests + excluded.requests`)
  const prune = db.prepare(
    "DELETE FROM history_counters WHERE account_id = ? AND model = ? AND status = ? AND requests = 0"
  )
  const counters = Counters.make((name, change) => {
    if (change === 0) return
    const [accountId = "", model = "", status = ""] = name.split(separator)
    add.run(accountId, model, status, change)
    if (change < 0) prune.run(accountId, model, status)
  })
  return {
    ...counters,
    count: (row) => {
      if (row.countedAs === row.status) return
      if (row.countedAs !== null) counters.add(nameOf(row, row.countedAs), -1)
      counters.add(nameOf(row, row.status), 1)
      row.countedAs = row.status
    }
  }
}
