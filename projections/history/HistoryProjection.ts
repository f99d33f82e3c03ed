/** Every request there was, for lists: one row each, and counters so that totals need no counting. */
import type { SQLOutputValue } from "node:sqlite"
import { Schema } from "effect"
import {
  BillingStatus,
  OutputRejected,
  RequestCancelled,
  RequestCompleted,
  RequestFailed,
  RequestRequeued,
  RequestStarted,
  RequestSubmitted
} from "#domain/inference-request/Event.ts"
import { idOf } from "#streams/StreamName.ts"
import { on, onType, type Projection } from "../Projection.ts"
import { completedOutcome, type OutcomeWord } from "#domain/inference-request/Status.ts"

/**
 * Each index ends in `created_at, request_id`, the order of every list. A page deep down steps over index entries only.
 * `started_at` is the first start of all runs, `run_started_at` that of the run under way, `has_violations` 1 when the
 * output breaks the model's schema, `amount` nano-USD.
 */
const tables = `
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
  CREATE INDEX history_by_time ON history_requests (account_id, created_at);
  CREATE INDEX history_by_status ON history_requests (account_id, status, created_at);
  CREATE INDEX history_by_model ON history_requests (account_id, model, created_at);
  CREATE INDEX history_by_model_and_status ON history_requests (account_id, model, status, created_at);
  CREATE TABLE history_counters (
    account_id TEXT NOT NULL,
    model TEXT NOT NULL,
    status TEXT NOT NULL,
    requests INTEGER NOT NULL,
    PRIMARY KEY (account_id, model, status)
  ) STRICT, WITHOUT ROWID;
`

const Submitted = Schema.Struct({
  accountId: Schema.String,
  model: Schema.String,
  metadata: Schema.Record(Schema.String, Schema.String)
})

const Completed = Schema.Struct({
  billing: Schema.Struct({ status: BillingStatus, amount: Schema.String }),
  error: Schema.NullOr(Schema.String)
})

export const projection: Projection = {
  name: "history",
  version: 1,
  tables,
  open: (db) => {
    const submit = db.prepare(`INSERT INTO history_requests
      VALUES (?, ?, ?, 'IN_QUEUE', 'pending', ?, ?, NULL, NULL, NULL, 0, NULL, NULL, NULL, ?)`)
    const count = db.prepare(`INSERT INTO history_counters VALUES (?, ?, ?, ?)
      ON CONFLICT (account_id, model, status) DO UPDATE SET requests = requests + excluded.requests`)
    const find = db.prepare("SELECT account_id, model, status FROM history_requests WHERE request_id = ?")
    const start = db.prepare(`UPDATE history_requests
      SET status = 'IN_PROGRESS', started_at = coalesce(started_at, ?1), run_started_at = ?1, position = ?2
      WHERE request_id = ?3`)
    const stopRun = db.prepare("UPDATE history_requests SET run_started_at = NULL WHERE request_id = ?")
    const reject = db.prepare("UPDATE history_requests SET has_violations = 1 WHERE request_id = ?")
    const isRejected = db.prepare(
      "SELECT 1 FROM history_requests WHERE request_id = ? AND has_violations = 1"
    )
    const end = db.prepare(`UPDATE history_requests
      SET status = ?, outcome = ?, ended_at = ?, billing_status = ?, amount = ?, error = ?, position = ?
      WHERE request_id = ?`)

    /** Moves the request to another status in the counters, before its row is changed. */
    const moveTo = (requestId: string, status: string) => {
      const row: Record<string, SQLOutputValue> | undefined = find.get(requestId)
      if (row?.account_id === undefined || row.model === undefined || row.status === undefined) return
      if (row.status === status) return
      count.run(row.account_id, row.model, row.status, -1)
      count.run(row.account_id, row.model, status, 1)
    }

    return [
      on(RequestSubmitted, Submitted, ({ accountId, model, metadata }, { stream, time, position }) => {
        submit.run(idOf(stream), accountId, model, JSON.stringify(metadata), time, position)
        count.run(accountId, model, "IN_QUEUE", 1)
      }),
      onType(RequestStarted, ({ stream, time, position }) => {
        const id = idOf(stream)
        moveTo(id, "IN_PROGRESS")
        start.run(time, position, id)
      }),
      onType(RequestRequeued, ({ stream }) => {
        stopRun.run(idOf(stream))
      }),
      onType(OutputRejected, ({ stream }) => {
        reject.run(idOf(stream))
      }),
      on(RequestCompleted, Completed, ({ billing, error }, { stream, time, position }) => {
        const id = idOf(stream)
        const outcome = completedOutcome(billing.status, isRejected.get(id) !== undefined)
        moveTo(id, "COMPLETED")
        end.run("COMPLETED", outcome, time, billing.status, billing.amount, error, position, id)
      }),
      on(
        RequestFailed,
        Schema.Struct({ message: Schema.String }),
        ({ message }, { stream, time, position }) => {
          const id = idOf(stream)
          moveTo(id, "FAILED")
          end.run("FAILED", "failed" satisfies OutcomeWord, time, "failed", "0", message, position, id)
        }
      ),
      on(
        RequestCancelled,
        Schema.Struct({ reason: RequestCancelled.fields.reason }),
        ({ reason }, { stream, time, position }) => {
          const id = idOf(stream)
          const outcome: OutcomeWord = reason === "expired" ? "expired" : "cancelled"
          moveTo(id, "CANCELLED")
          end.run("CANCELLED", outcome, time, "failed", "0", null, position, id)
        }
      )
    ]
  }
}
