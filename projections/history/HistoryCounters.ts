/** The number of an account's requests by model and status, in total and by hour of creation. A counter of 0 has no row. */
import type { DatabaseSync } from "node:sqlite"
import * as CompositeKey from "../batch/CompositeKey.ts"
import * as CounterTable from "../batch/CounterTable.ts"
import { type BatchBuffer, combine } from "../Projection.ts"
import type { HistoryRow } from "./HistoryRows.ts"

/** `hour`: hours since 1970. Each account, model and status in `history_hours` has a row in `history_counters`. */
export const tables = `
  CREATE TABLE history_counters (
    account_id TEXT NOT NULL,
    model TEXT NOT NULL,
    status TEXT NOT NULL,
    requests INTEGER NOT NULL,
    PRIMARY KEY (account_id, model, status)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE history_hours (
    account_id TEXT NOT NULL,
    model TEXT NOT NULL,
    status TEXT NOT NULL,
    hour INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    PRIMARY KEY (account_id, model, status, hour)
  ) STRICT, WITHOUT ROWID;
`

/** ms */
export const hourMs = 3_600_000

export interface HistoryCounters extends BatchBuffer {
  /** Moves a written row to the counters of its status. */
  readonly move: (row: Readonly<HistoryRow>) => void
}

export const make = (db: DatabaseSync): HistoryCounters => {
  const counters = CounterTable.make(db, {
    table: "history_counters",
    columns: ["account_id", "model", "status"],
    count: "requests"
  })
  const hours = CounterTable.make(db, {
    table: "history_hours",
    columns: ["account_id", "model", "status", "hour"],
    count: "requests"
  })
  return {
    move: ({ accountId, countedAs, createdAt, model, status }) => {
      if (countedAs === status) return
      const hour = String(Math.floor(createdAt / hourMs))
      const nameOf = (word: string) => CompositeKey.of(accountId, model, word)
      const hourOf = (word: string) => CompositeKey.of(accountId, model, word, hour)
      counters.move(countedAs === null ? null : nameOf(countedAs), nameOf(status))
      hours.move(countedAs === null ? null : hourOf(countedAs), hourOf(status))
    },
    ...combine(counters, hours)
  }
}
