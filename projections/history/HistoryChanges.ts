/** All changes of requests' status in the order of the log, for live lists. */
import type { DatabaseSync } from "node:sqlite"
import type { Status } from "#domain/inference-request/Status.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as RowInserts from "#streams/sqlite/thread/RowInserts.ts"
import { idOf } from "#streams/StreamName.ts"
import { integerOrNull } from "../batch/Columns.ts"
import type { BatchBuffer } from "../Projection.ts"

/** `change_id` rises with the log without gaps. The index of an account ends in it. */
export const tables = `
  CREATE TABLE history_changes (
    change_id INTEGER PRIMARY KEY,
    account_id TEXT NOT NULL,
    request_id TEXT NOT NULL,
    status TEXT NOT NULL,
    position TEXT NOT NULL
  ) STRICT;
  CREATE INDEX history_changes_by_account ON history_changes (account_id);
`

export interface HistoryChanges extends BatchBuffer {
  /** Returns its `change_id`. */
  readonly add: (accountId: string, status: Status, event: RecordedEvent) => number
}

export const make = (db: DatabaseSync): HistoryChanges => {
  const find = db.prepare("SELECT max(change_id) AS last FROM history_changes")
  const inserts = RowInserts.make(db, "history_changes", 5)
  /** The last change, once the batch has one. */
  let last: number | undefined
  return {
    add: (accountId, status, { stream, position }) => {
      last = (last ?? integerOrNull(find.get()?.["last"]) ?? 0) + 1
      inserts.add(last, accountId, idOf(stream), status, position)
      return last
    },
    write: () => {
      inserts.flush()
      last = undefined
    },
    forget: () => {
      inserts.discard()
      last = undefined
    }
  }
}
