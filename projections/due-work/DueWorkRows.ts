/** The rows of the work queue. */
import type { DatabaseSync } from "node:sqlite"
import * as SweepSchedule from "#domain/inference-request/SweepSchedule.ts"
import * as RowInserts from "#streams/sqlite/thread/RowInserts.ts"
import { idOf } from "#streams/StreamName.ts"
import { type Columns, integer, integerOrNull, text, textOrNull } from "../batch/Columns.ts"
import * as Rows from "../batch/Rows.ts"

/**
 * Most indexes contain only waiting requests: `by_account` serves fairness, `by_due` the next due time. Rows are clustered
 * by request id, which is the order of submission. `depth` counts the queued requests of a model. The indexes on
 * `deadline_at`, `overdue_at` and `sweep_retries` leave out requests without them. `end_by` is the deadline that remains
 * after the start. `start_told` is `NULL` when the webhook does not want `start`, and else whether it has become owed
 * (`OwedDeliveries`). `tells_completed` is 1 when the webhook wants `completed`.
 */
export const tables = `
  CREATE TABLE duework_requests (
    request_id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    model TEXT NOT NULL,
    phase TEXT NOT NULL CHECK (phase IN ('queued', 'claimed', 'finalizing')),
    due_at INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    provider TEXT,
    node TEXT,
    job_id TEXT,
    cancel_requested INTEGER NOT NULL,
    sweep_retries INTEGER NOT NULL,
    deadline_at INTEGER,
    end_by INTEGER,
    expected_ms INTEGER,
    overdue_at INTEGER,
    position TEXT NOT NULL,
    start_told INTEGER,
    tells_completed INTEGER NOT NULL,
    crashes INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX duework_by_account ON duework_requests (model, account_id, due_at) WHERE phase = 'queued';
  CREATE INDEX duework_by_due ON duework_requests (model, due_at) WHERE phase = 'queued';
  CREATE INDEX duework_claimed ON duework_requests (request_id) WHERE phase = 'claimed';
  CREATE INDEX duework_cancelled ON duework_requests (node, request_id)
    WHERE phase = 'claimed' AND cancel_requested = 1;
  CREATE INDEX duework_finalizing ON duework_requests (due_at, request_id) WHERE phase = 'finalizing';
  CREATE INDEX duework_deadlines ON duework_requests (deadline_at, request_id) WHERE deadline_at IS NOT NULL;
  CREATE INDEX duework_overdue ON duework_requests (overdue_at, request_id) WHERE overdue_at IS NOT NULL;
  CREATE INDEX duework_given_up ON duework_requests (request_id)
    WHERE sweep_retries >= ${SweepSchedule.retriesBeforeForceFail};
  CREATE TABLE duework_depth (model TEXT PRIMARY KEY, queued INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`

const phases = ["queued", "claimed", "finalizing"] as const

export interface DueWorkRow {
  readonly accountId: string
  readonly model: string
  phase: (typeof phases)[number]
  /** Unix time in ms. */
  dueAt: number
  /** Number of the last run. 0 when there was none. */
  attempt: number
  /** The provider of the current run, or of the last one if it failed there and the request waits. */
  provider: string | null
  node: string | null
  jobId: string | null
  cancelRequested: boolean
  sweepRetries: number
  /** The next deadline that applies, Unix time in ms like all times here. `null` when there is none. */
  deadlineAt: number | null
  readonly endBy: number | null
  readonly expectedMs: number | null
  /** When the claimed run becomes overdue. `null` when there is none, or its usual duration is unknown. */
  overdueAt: number | null
  /** Position of the submission. */
  readonly position: string
  /** Whether the webhook's `start` has become owed. `null` when the webhook does not want it. */
  startOwed: boolean | null
  /** Whether the webhook wants `completed`. */
  readonly wantsCompleted: boolean
  /** The number of crashes in a row during its runs. */
  crashes: number
}

export const make = (db: DatabaseSync): Rows.Rows<DueWorkRow> => {
  const find = db.prepare("SELECT * FROM duework_requests WHERE request_id = ?")
  const inserts = RowInserts.make(db, "duework_requests", 19)
  const update = db.prepare(`UPDATE duework_requests
    SET phase = ?, due_at = ?, attempt = ?, provider = ?, node = ?, job_id = ?, cancel_requested = ?,
      sweep_retries = ?, deadline_at = ?, overdue_at = ?, start_told = ?, crashes = ?
    WHERE request_id = ?`)
  const remove = db.prepare("DELETE FROM duework_requests WHERE request_id = ?")

  const changing = (row: DueWorkRow) =>
    [
      row.phase,
      row.dueAt,
      row.attempt,
      row.provider,
      row.node,
      row.jobId,
      row.cancelRequested ? 1 : 0,
      row.sweepRetries,
      row.deadlineAt
    ] as const

  return Rows.make({
    keeps: true,
    inserts,
    load: (stream) => {
      const columns = find.get(idOf(stream))
      return columns && rowOf(columns)
    },
    insert: (stream, row) =>
      inserts.add(
        idOf(stream),
        row.accountId,
        row.model,
        ...changing(row),
        row.endBy,
        row.expectedMs,
        row.overdueAt,
        row.position,
        startOwedOf(row),
        row.wantsCompleted ? 1 : 0,
        row.crashes
      ),
    update: (stream, row) =>
      update.run(...changing(row), row.overdueAt, startOwedOf(row), row.crashes, idOf(stream)),
    remove: (stream) => remove.run(idOf(stream))
  })
}

const startOwedOf = ({ startOwed }: DueWorkRow) => (startOwed === null ? null : startOwed ? 1 : 0)

const rowOf = (columns: Columns): DueWorkRow => ({
  accountId: text(columns["account_id"]),
  model: text(columns["model"]),
  phase: phases.find((phase) => phase === columns["phase"]) ?? "queued",
  dueAt: integer(columns["due_at"]),
  attempt: integer(columns["attempt"]),
  provider: textOrNull(columns["provider"]),
  node: textOrNull(columns["node"]),
  jobId: textOrNull(columns["job_id"]),
  cancelRequested: columns["cancel_requested"] === 1,
  sweepRetries: integer(columns["sweep_retries"]),
  deadlineAt: integerOrNull(columns["deadline_at"]),
  endBy: integerOrNull(columns["end_by"]),
  expectedMs: integerOrNull(columns["expected_ms"]),
  overdueAt: integerOrNull(columns["overdue_at"]),
  position: text(columns["position"]),
  startOwed: columns["start_told"] === null ? null : columns["start_told"] === 1,
  wantsCompleted: columns["tells_completed"] === 1,
  crashes: integer(columns["crashes"])
})
