/** The number of deliveries by account, status and event, and in total by status. */
import type { DatabaseSync } from "node:sqlite"
import * as CompositeKey from "../batch/CompositeKey.ts"
import * as CounterTable from "../batch/CounterTable.ts"
import { type BatchBuffer, combine } from "../Projection.ts"
import type { DeliveryRow } from "./DeliveryRows.ts"

export const tables = `
  CREATE TABLE deliveries_counters (
    account_id TEXT NOT NULL,
    status TEXT NOT NULL,
    event TEXT NOT NULL,
    deliveries INTEGER NOT NULL,
    PRIMARY KEY (account_id, status, event)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE deliveries_totals (status TEXT PRIMARY KEY, deliveries INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`

export interface DeliveryCounters extends BatchBuffer {
  /** Moves a written row to the counter of its status. */
  readonly count: (row: DeliveryRow) => void
}

const nameOf = ({ accountId, event }: DeliveryRow, status: string): string =>
  CompositeKey.of(accountId, status, event)

export const make = (db: DatabaseSync): DeliveryCounters => {
  const count = "deliveries"
  const counters = CounterTable.make(db, {
    table: "deliveries_counters",
    columns: ["account_id", "status", "event"],
    count
  })
  const totals = CounterTable.make(db, { table: "deliveries_totals", columns: ["status"], count })
  return {
    count: (row) => {
      const from = row.stored?.status ?? null
      if (from === row.status) return
      counters.move(from === null ? null : nameOf(row, from), nameOf(row, row.status))
      totals.move(from, row.status)
    },
    ...combine(counters, totals)
  }
}
