/** All changes of requests' status in the order of the log, for live lists. */
import type { DatabaseSync } from "node:sqlite"
import type { Status } from "#domain/inference-request/Status.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import { idOf } from "#streams/StreamName.ts"

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

export interface HistoryChanges {
  /** Writes the change at once and returns its `change_id`. */
  readonly add: (accountId: string, status: Status, event: RecordedEvent) => number
}

export const make = (db: DatabaseSync): HistoryChanges => {
  const insert = db.prepare("INSERT INTO history_changes VALUES (NULL, ?, ?, ?, ?)")
  return {
    add: (accountId, status, { stream, position }) =>
      Number(insert.run(accountId, idOf(stream), status, position).lastInsertRowid)
  }
}
