/** Webhook events that are to be sent and have no scheduled delivery yet. */
import type { DatabaseSync } from "node:sqlite"
import type { WebhookEventName } from "#domain/inference-request/Event.ts"
import * as CompositeKey from "../batch/CompositeKey.ts"
import * as KeySet from "../batch/KeySet.ts"
import type { BatchBuffer } from "../Projection.ts"

export const tables = `
  CREATE TABLE duework_owed (
    request_id TEXT NOT NULL,
    event TEXT NOT NULL,
    PRIMARY KEY (request_id, event)
  ) STRICT, WITHOUT ROWID;
`

export interface OwedDeliveries extends BatchBuffer {
  readonly add: (requestId: string, event: WebhookEventName) => void
  /** The delivery is scheduled or no longer needed. Has no effect if it was not owed. */
  readonly remove: (requestId: string, event: WebhookEventName) => void
}

export const make = (db: DatabaseSync): OwedDeliveries => {
  const insert = db.prepare("INSERT OR IGNORE INTO duework_owed VALUES (?, ?)")
  const remove = db.prepare("DELETE FROM duework_owed WHERE request_id = ? AND event = ?")
  const keys = KeySet.make({
    insert: (key) => insert.run(...CompositeKey.partsOf(key)),
    remove: (key) => remove.run(...CompositeKey.partsOf(key))
  })
  return {
    write: keys.write,
    forget: keys.forget,
    add: (requestId, event) => keys.add(CompositeKey.of(requestId, event)),
    remove: (requestId, event) => keys.remove(CompositeKey.of(requestId, event))
  }
}
