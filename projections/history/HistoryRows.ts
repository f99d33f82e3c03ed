/** The rows of the history as a batch changes them. */
import type { DatabaseSync } from "node:sqlite"
import { idOf } from "#streams/StreamName.ts"
import { type Columns, integer, integerOrNull, text, textOrNull } from "../batch/Columns.ts"
import * as Rows from "../batch/Rows.ts"

/**
 * Each index ends in `created_at, request_id`, the order of every list: one of any status is merged from those of each
 * (`HistoryQueries`). A third index would cost a fifth of a replay. `started_at` is the first start of all runs, `run_started_at` that of the run under way, `has_violations` 1 when the
 * output breaks the model's schema, `amount` nano-USD.
 */
export const tables = `
  CREATE TABLE history_requests (
    request_id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    model TEXT NOT NULL,
    status TEXT NOT NULL,
    outcome TEXT NOT NULL,
    metadata TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    run_started_at INTEGER,
    ended_at INTEGER,
    has_violations INTEGER NOT NULL,
    billing_status TEXT,
    amount TEXT,
    error TEXT,
    position TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX history_by_status ON history_requests (account_id, status, created_at);
  CREATE INDEX history_by_model ON history_requests (account_id, model, status, created_at);
`

/** Times are Unix time in ms. */
export interface HistoryRow {
  readonly accountId: string
  readonly model: string
  status: string
  outcome: string
  /** The status that the counters have it under; `null` when they do not have it yet. */
  countedAs: string | null
  /** JSON text. */
  readonly metadata: string
  readonly createdAt: number
  startedAt: number | null
  runStartedAt: number | null
  endedAt: number | null
  hasViolations: boolean
  billingStatus: string | null
  amount: string | null
  error: string | null
  position: string
}

/** `count` is called with each row that is written. */
export const make = (db: DatabaseSync, count: (row: HistoryRow) => void): Rows.Rows<HistoryRow> => {
  const find = db.prepare("SELECT * FROM history_requests WHERE request_id = ?")
  const insert = db.prepare(
    "INSERT INTO history_requests VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
  )
  const update = db.prepare(`UPDATE history_requests
    SET status = ?, outcome = ?, started_at = ?, run_started_at = ?, ended_at = ?, has_violations = ?,
      billing_status = ?, amount = ?, error = ?, position = ?
    WHERE request_id = ?`)
  const remove = db.prepare("DELETE FROM history_requests WHERE request_id = ?")

  const later = (row: HistoryRow) =>
    [
      row.startedAt,
      row.runStartedAt,
      row.endedAt,
      row.hasViolations ? 1 : 0,
      row.billingStatus,
      row.amount,
      row.error,
      row.position
    ] as const

  return Rows.make({
    load: (stream) => {
      const columns = find.get(idOf(stream))
      return columns && rowOf(columns)
    },
    insert: (stream, row) => {
      const { accountId, model, status, outcome, metadata, createdAt } = row
      insert.run(idOf(stream), accountId, model, status, outcome, metadata, createdAt, ...later(row))
      count(row)
    },
    update: (stream, row) => {
      update.run(row.status, row.outcome, ...later(row), idOf(stream))
      count(row)
    },
    remove: (stream) => remove.run(idOf(stream))
  })
}

const rowOf = (columns: Columns): HistoryRow => ({
  accountId: text(columns["account_id"]),
  model: text(columns["model"]),
  status: text(columns["status"]),
  countedAs: text(columns["status"]),
  outcome: text(columns["outcome"]),
  metadata: text(columns["metadata"]),
  createdAt: integer(columns["created_at"]),
  startedAt: integerOrNull(columns["started_at"]),
  runStartedAt: integerOrNull(columns["run_started_at"]),
  endedAt: integerOrNull(columns["ended_at"]),
  hasViolations: columns["has_violations"] === 1,
  billingStatus: textOrNull(columns["billing_status"]),
  amount: textOrNull(columns["amount"]),
  error: textOrNull(columns["error"]),
  position: text(columns["position"])
})
