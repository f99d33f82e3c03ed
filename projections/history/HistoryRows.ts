/** The rows of the history. */
import type { DatabaseSync } from "node:sqlite"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import * as RowInserts from "#streams/sqlite/thread/RowInserts.ts"
import { idOf } from "#streams/StreamName.ts"
import { type Columns, integer, integerOrNull, text, textOrNull } from "../batch/Columns.ts"
import * as Rows from "../batch/Rows.ts"

/**
 * `by_status` and `by_model` end in `created_at, request_id`, the order of every list. A list of several statuses merges the
 * entries of each (`HistoryQueries`). `open` has requests that have not ended, in the order of their last change.
 *
 * `started_at` is the start of the first run, `run_started_at` that of the current run, `inference_ms` the time of the run
 * that returned the output. `has_violations` is 1 when the output breaks the model's schema, `is_cut` when a cancel stopped
 * the run that made it. `amount` is nano-USD, `upstream` and `media` are JSON. `position` is that of the event that set the status, and `change_id` its number in `history_changes`.
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
    expected_ms INTEGER,
    started_at INTEGER,
    run_started_at INTEGER,
    inference_ms INTEGER,
    ended_at INTEGER,
    has_violations INTEGER NOT NULL,
    is_cut INTEGER NOT NULL,
    billing_status TEXT,
    amount TEXT,
    error TEXT,
    upstream TEXT,
    media TEXT NOT NULL,
    erased_at INTEGER,
    position TEXT NOT NULL,
    change_id INTEGER NOT NULL,
    ahead INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX history_by_status ON history_requests (account_id, status, created_at);
  CREATE INDEX history_by_model ON history_requests (account_id, model, status, created_at);
  CREATE INDEX history_open ON history_requests (account_id, change_id)
    WHERE status IN ('IN_QUEUE', 'IN_PROGRESS');
`

/** Times are Unix time in ms. */
export interface HistoryRow {
  readonly accountId: string
  readonly model: string
  status: string
  outcome: string
  /** The status under which counters and metadata have the request. `null` when they do not have it yet. */
  countedAs: string | null
  /** Texts by key. */
  readonly metadata: JsonObject
  readonly createdAt: number
  /** The expected duration of a run, ms. `null` when it was not recorded. */
  readonly expectedMs: number | null
  startedAt: number | null
  runStartedAt: number | null
  /** ms */
  inferenceMs: number | null
  endedAt: number | null
  hasViolations: boolean
  isCut: boolean
  billingStatus: string | null
  amount: string | null
  error: string | null
  /** JSON text. `null` if the provider said nothing of the error besides its message. */
  upstream: string | null
  /** JSON text. */
  media: string
  erasedAt: number | null
  position: string
  changeId: number
  /** How far the steady clock was ahead of the wall clock at the submit, ms. */
  readonly ahead: number
}

/** Calls `move` with each written row, so that counters and metadata follow its status. */
export const make = (
  db: DatabaseSync,
  move: (requestId: string, row: Readonly<HistoryRow>) => void
): Rows.Rows<HistoryRow> => {
  const find = db.prepare("SELECT * FROM history_requests WHERE request_id = ?")
  const inserts = RowInserts.make(db, "history_requests", 23)
  const update = db.prepare(`UPDATE history_requests
    SET status = ?, outcome = ?, started_at = ?, run_started_at = ?, inference_ms = ?, ended_at = ?,
      has_violations = ?, is_cut = ?, billing_status = ?, amount = ?, error = ?, upstream = ?, media = ?, erased_at = ?, position = ?, change_id = ?
    WHERE request_id = ?`)
  const remove = db.prepare("DELETE FROM history_requests WHERE request_id = ?")

  const later = (row: HistoryRow) =>
    [
      row.startedAt,
      row.runStartedAt,
      row.inferenceMs,
      row.endedAt,
      row.hasViolations ? 1 : 0,
      row.isCut ? 1 : 0,
      row.billingStatus,
      row.amount,
      row.error,
      row.upstream,
      row.media,
      row.erasedAt,
      row.position,
      row.changeId
    ] as const

  const moved = (requestId: string, row: HistoryRow) => {
    move(requestId, row)
    row.countedAs = row.status
  }

  return Rows.make({
    keeps: true,
    inserts,
    load: (stream) => {
      const columns = find.get(idOf(stream))
      return columns && rowOf(columns)
    },
    insert: (stream, row) => {
      const requestId = idOf(stream)
      const { accountId, model, status, outcome, metadata, createdAt, expectedMs } = row
      inserts.add(
        requestId,
        accountId,
        model,
        status,
        outcome,
        JSON.stringify(metadata),
        createdAt,
        expectedMs,
        ...later(row),
        row.ahead
      )
      moved(requestId, row)
    },
    update: (stream, row) => {
      const requestId = idOf(stream)
      update.run(row.status, row.outcome, ...later(row), requestId)
      moved(requestId, row)
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
  metadata: JSON.parse(text(columns["metadata"])),
  createdAt: integer(columns["created_at"]),
  expectedMs: integerOrNull(columns["expected_ms"]),
  startedAt: integerOrNull(columns["started_at"]),
  runStartedAt: integerOrNull(columns["run_started_at"]),
  inferenceMs: integerOrNull(columns["inference_ms"]),
  endedAt: integerOrNull(columns["ended_at"]),
  hasViolations: columns["has_violations"] === 1,
  isCut: columns["is_cut"] === 1,
  billingStatus: textOrNull(columns["billing_status"]),
  amount: textOrNull(columns["amount"]),
  error: textOrNull(columns["error"]),
  upstream: textOrNull(columns["upstream"]),
  media: text(columns["media"]),
  erasedAt: integerOrNull(columns["erased_at"]),
  position: text(columns["position"]),
  changeId: integer(columns["change_id"]),
  ahead: integer(columns["ahead"])
})
