/** Data to be erased, and erasures that are not finished. */
import { AccountErased, AccountErasureFinished } from "#domain/account/Event.ts"
import { endings } from "#domain/inference-request/Ending.ts"
import { ErasedFilesRemoved, PayloadsErased } from "#domain/inference-request/Event.ts"
import { aggregate } from "#domain/inference-request/InferenceRequest.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as RowInserts from "#streams/sqlite/thread/RowInserts.ts"
import { categoryOf, idOf } from "#streams/StreamName.ts"
import * as KeySet from "../batch/KeySet.ts"
import { boolean } from "../EventFields.ts"
import { onType, type Projection } from "../Projection.ts"

/**
 * `requests` have ended and are not erased. `removals` are erased, with data left outside the log. `accounts` are closed,
 * with data of their requests left. Request ids sort by time, so the primary key is the order in which requests expire.
 */
const tables = `
  CREATE TABLE retention_requests (request_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE TABLE retention_removals (request_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE TABLE retention_accounts (
    account_id TEXT PRIMARY KEY,
    erased_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`

export const projection: Projection = {
  name: "retention",
  version: 1,
  tables,
  open: (db) => {
    const keysOf = (table: "retention_requests" | "retention_removals") => {
      const inserts = RowInserts.make(db, table, 1, "IGNORE")
      const remove = db.prepare(`DELETE FROM ${table} WHERE request_id = ?`)
      return KeySet.make({ insert: inserts.add, inserts, remove: (id) => remove.run(id) })
    }
    const requests = keysOf("retention_requests")
    const removals = keysOf("retention_removals")
    const close = db.prepare("INSERT OR IGNORE INTO retention_accounts VALUES (?, ?)")
    const finish = db.prepare("DELETE FROM retention_accounts WHERE account_id = ?")

    const end = ({ stream }: RecordedEvent) => requests.add(idOf(stream))

    const rules = [
      ...endings.map((ending) => onType(ending, end)),
      onType(PayloadsErased, (event) => {
        // Webhook deliveries have an event of the same name.
        if (categoryOf(event.stream) !== aggregate.category) return
        const id = idOf(event.stream)
        if (boolean(event.data, "hasFiles")) removals.add(id)
        requests.remove(id)
      }),
      onType(ErasedFilesRemoved, ({ stream }) => removals.remove(idOf(stream))),
      onType(AccountErased, ({ stream, time }) => {
        close.run(idOf(stream), time)
      }),
      onType(AccountErasureFinished, ({ stream }) => {
        finish.run(idOf(stream))
      })
    ]
    return { rules, buffers: [requests, removals] }
  }
}
