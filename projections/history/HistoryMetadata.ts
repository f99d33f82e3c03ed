/** The metadata of requests (`X-Request-Metadata`), one row per entry. */
import type { DatabaseSync } from "node:sqlite"
import * as RowInserts from "#streams/sqlite/thread/RowInserts.ts"
import type { BatchBuffer } from "../Projection.ts"
import type { HistoryRow } from "./HistoryRows.ts"

/**
 * Within a status, the primary key has the order of every list. It contains every filtered column except the model, so that
 * finding a page or counting reads nothing else.
 */
export const tables = `
  CREATE TABLE history_metadata (
    account_id TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    request_id TEXT NOT NULL,
    model TEXT NOT NULL,
    PRIMARY KEY (account_id, key, value, status, created_at, request_id)
  ) STRICT, WITHOUT ROWID;
`

export interface HistoryMetadata extends BatchBuffer {
  /** Moves the entries of a written row to its status. Costs nothing for requests without metadata, which most are. */
  readonly move: (requestId: string, row: Readonly<HistoryRow>) => void
}

export const make = (db: DatabaseSync): HistoryMetadata => {
  const inserts = RowInserts.make(db, "history_metadata", 7)
  const update = db.prepare(`UPDATE history_metadata SET status = ?
    WHERE account_id = ? AND key = ? AND value = ? AND status = ? AND created_at = ? AND request_id = ?`)
  return {
    move: (requestId, { accountId, countedAs, createdAt, metadata, model, status }) => {
      if (countedAs === status) return
      for (const key in metadata) {
        const value = String(metadata[key])
        if (countedAs === null) inserts.add(accountId, key, value, status, createdAt, requestId, model)
        else update.run(status, accountId, key, value, countedAs, createdAt, requestId)
      }
    },
    write: inserts.flush,
    forget: inserts.discard
  }
}
