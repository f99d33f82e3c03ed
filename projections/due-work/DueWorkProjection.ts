/** The work queue: one row for each request that has not ended. */
import type { SQLOutputValue } from "node:sqlite"
import { Schema } from "effect"
import {
  CancelRequested,
  DispatchStarted,
  ProviderAccepted,
  RequestCancelled,
  RequestCompleted,
  RequestFailed,
  RequestRequeued,
  RequestSubmitted
} from "#domain/inference-request/Event.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import { idOf } from "#streams/StreamName.ts"
import { on, onType, type Projection } from "../Projection.ts"

/**
 * Indexes hold what waits and leave out what runs: `by_account` for fairness, `by_due` for what comes due next. Rows are
 * clustered by request id, which is the order of submission. `depth` counts the queued rows of a model.
 */
const tables = `
  CREATE TABLE duework_requests (
    request_id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    model TEXT NOT NULL,
    phase TEXT NOT NULL CHECK (phase IN ('queued', 'claimed')),
    due_at INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    provider TEXT,
    node TEXT,
    job_id TEXT,
    cancel_requested INTEGER NOT NULL,
    position TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX duework_by_account ON duework_requests (model, account_id, due_at) WHERE phase = 'queued';
  CREATE INDEX duework_by_due ON duework_requests (model, due_at) WHERE phase = 'queued';
  CREATE INDEX duework_claimed ON duework_requests (request_id) WHERE phase = 'claimed';
  CREATE INDEX duework_cancelled ON duework_requests (node, request_id)
    WHERE phase = 'claimed' AND cancel_requested = 1;
  CREATE TABLE duework_depth (model TEXT PRIMARY KEY, queued INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`

type Row = Record<string, SQLOutputValue>

export const projection: Projection = {
  name: "duework",
  version: 1,
  tables,
  open: (db) => {
    const submit = db.prepare(
      "INSERT INTO duework_requests VALUES (?, ?, ?, 'queued', ?, 0, NULL, NULL, NULL, 0, ?)"
    )
    const claim = db.prepare(`UPDATE duework_requests
      SET phase = 'claimed', attempt = ?, provider = ?, node = ?, job_id = NULL
      WHERE request_id = ? AND phase = 'queued' RETURNING model`)
    const requeue = db.prepare(`UPDATE duework_requests
      SET phase = 'queued', due_at = ?, provider = NULL, node = NULL, job_id = NULL
      WHERE request_id = ? AND phase = 'claimed' RETURNING model`)
    const accept = db.prepare("UPDATE duework_requests SET job_id = ? WHERE request_id = ?")
    const cancel = db.prepare("UPDATE duework_requests SET cancel_requested = 1 WHERE request_id = ?")
    const remove = db.prepare("DELETE FROM duework_requests WHERE request_id = ? RETURNING model, phase")
    const count = db.prepare(`INSERT INTO duework_depth VALUES (?, ?)
      ON CONFLICT (model) DO UPDATE SET queued = queued + excluded.queued`)

    const counted = (row: Row | undefined, change: 1 | -1) => {
      if (row?.model !== undefined) count.run(row.model, change)
    }
    const end = ({ stream }: RecordedEvent) => {
      const row = remove.get(idOf(stream))
      if (row?.phase === "queued") counted(row, -1)
    }

    return [
      on(
        RequestSubmitted,
        Schema.Struct({ accountId: Schema.String, model: Schema.String }),
        ({ accountId, model }, { stream, time, position }) => {
          submit.run(idOf(stream), accountId, model, time, position)
          count.run(model, 1)
        }
      ),
      on(
        DispatchStarted,
        Schema.Struct({ attempt: Schema.Int, provider: Schema.String, node: Schema.String }),
        ({ attempt, provider, node }, { stream }) => {
          counted(claim.get(attempt, provider, node, idOf(stream)), -1)
        }
      ),
      on(ProviderAccepted, Schema.Struct({ jobId: Schema.String }), ({ jobId }, { stream }) => {
        accept.run(jobId, idOf(stream))
      }),
      on(RequestRequeued, Schema.Struct({ dueAt: Schema.Int }), ({ dueAt }, { stream }) => {
        counted(requeue.get(dueAt, idOf(stream)), 1)
      }),
      onType(CancelRequested, ({ stream }) => {
        cancel.run(idOf(stream))
      }),
      onType(RequestCompleted, end),
      onType(RequestFailed, end),
      onType(RequestCancelled, end)
    ]
  }
}
