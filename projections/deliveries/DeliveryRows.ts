/** The rows of deliveries. */
import type { DatabaseSync } from "node:sqlite"
import * as RowInserts from "#streams/sqlite/thread/RowInserts.ts"
import { idOf } from "#streams/StreamName.ts"
import { type Columns, integer, integerOrNull, text, textOrNull } from "../batch/Columns.ts"
import * as Rows from "../batch/Rows.ts"
import { DeliveryStatus } from "./DeliveryItem.ts"

/**
 * `by_list` ends in `created_at, delivery_id`, the order of every list. A list of several statuses or events merges the
 * entries of each (`DeliveryQueries`). `by_lane` (`DeliveryLanes`) and `by_time` have pending deliveries, `under_way` those
 * being sent, `recoverable` failed ones that can be sent again. `node` is set while the delivery is being sent.
 */
export const tables = `
  CREATE TABLE deliveries_deliveries (
    delivery_id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    request_id TEXT NOT NULL,
    event TEXT NOT NULL,
    url TEXT NOT NULL,
    origin TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'delivering', 'delivered', 'failed')),
    attempts INTEGER NOT NULL,
    last_response_status INTEGER,
    last_error TEXT,
    next_attempt_at INTEGER,
    delivered_at INTEGER,
    updated_at INTEGER NOT NULL,
    node TEXT,
    is_erased INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX deliveries_by_list ON deliveries_deliveries (account_id, status, event, created_at);
  CREATE INDEX deliveries_by_request ON deliveries_deliveries (request_id);
  CREATE INDEX deliveries_by_lane ON deliveries_deliveries (account_id, origin, next_attempt_at)
    WHERE status = 'pending';
  CREATE INDEX deliveries_by_time ON deliveries_deliveries (next_attempt_at) WHERE status = 'pending';
  CREATE INDEX deliveries_recoverable ON deliveries_deliveries (account_id, created_at)
    WHERE status = 'failed' AND is_erased = 0;
  CREATE INDEX deliveries_under_way ON deliveries_deliveries (delivery_id) WHERE status = 'delivering';
`

/** Times are Unix time in ms. */
export interface DeliveryRow {
  readonly accountId: string
  readonly requestId: string
  readonly event: string
  readonly url: string
  /** Scheme, host and port of the URL. */
  readonly origin: string
  readonly createdAt: number
  status: DeliveryStatus
  /** All attempts so far, which is the number of the current one. */
  attempts: number
  lastResponseStatus: number | null
  lastError: string | null
  /** Set while the delivery is pending. */
  nextAttemptAt: number | null
  deliveredAt: number | null
  updatedAt: number
  /** Set while the delivery is being sent. */
  node: string | null
  /** Whether the body is erased. */
  isErased: boolean
  /** The stored values. `null` when the table has no row yet. */
  stored: Pick<DeliveryRow, "status" | "nextAttemptAt"> | null
}

/** Calls `written` with each written row. */
export const make = (db: DatabaseSync, written: (row: DeliveryRow) => void): Rows.Rows<DeliveryRow> => {
  const find = db.prepare("SELECT * FROM deliveries_deliveries WHERE delivery_id = ?")
  const inserts = RowInserts.make(db, "deliveries_deliveries", 16)
  const update = db.prepare(`UPDATE deliveries_deliveries
    SET status = ?, attempts = ?, last_response_status = ?, last_error = ?, next_attempt_at = ?, delivered_at = ?,
      updated_at = ?, node = ?, is_erased = ?
    WHERE delivery_id = ?`)
  const remove = db.prepare("DELETE FROM deliveries_deliveries WHERE delivery_id = ?")

  const changing = (row: DeliveryRow) =>
    [
      row.status,
      row.attempts,
      row.lastResponseStatus,
      row.lastError,
      row.nextAttemptAt,
      row.deliveredAt,
      row.updatedAt,
      row.node,
      row.isErased ? 1 : 0
    ] as const

  const stored = (row: DeliveryRow) => {
    written(row)
    row.stored = { status: row.status, nextAttemptAt: row.nextAttemptAt }
  }

  return Rows.make({
    keeps: true,
    inserts,
    load: (stream) => {
      const columns = find.get(idOf(stream))
      return columns && rowOf(columns)
    },
    insert: (stream, row) => {
      const { accountId, requestId, event, url, origin, createdAt } = row
      inserts.add(idOf(stream), accountId, requestId, event, url, origin, createdAt, ...changing(row))
      stored(row)
    },
    update: (stream, row) => {
      update.run(...changing(row), idOf(stream))
      stored(row)
    },
    remove: (stream) => remove.run(idOf(stream))
  })
}

const statusOf = (columns: Columns): DeliveryStatus =>
  DeliveryStatus.literals.find((status) => status === columns["status"]) ?? "pending"

const rowOf = (columns: Columns): DeliveryRow => {
  const status = statusOf(columns)
  const nextAttemptAt = integerOrNull(columns["next_attempt_at"])
  return {
    accountId: text(columns["account_id"]),
    requestId: text(columns["request_id"]),
    event: text(columns["event"]),
    url: text(columns["url"]),
    origin: text(columns["origin"]),
    createdAt: integer(columns["created_at"]),
    status,
    attempts: integer(columns["attempts"]),
    lastResponseStatus: integerOrNull(columns["last_response_status"]),
    lastError: textOrNull(columns["last_error"]),
    nextAttemptAt,
    deliveredAt: integerOrNull(columns["delivered_at"]),
    updatedAt: integer(columns["updated_at"]),
    node: textOrNull(columns["node"]),
    isErased: columns["is_erased"] === 1,
    stored: { status, nextAttemptAt }
  }
}
