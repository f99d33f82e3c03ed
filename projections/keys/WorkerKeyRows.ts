/** The keys of workers, for the operator's list. */
import type { DatabaseSync } from "node:sqlite"
import { WorkerKeyIssued, WorkerKeyRevoked, WorkerKeyRotated } from "#domain/worker-key/WorkerKey.ts"
import { idOf } from "#streams/StreamName.ts"
import { integerOrNull, text } from "../EventFields.ts"
import { on } from "../Projection.ts"

/** `model_endpoints` is JSON, `NULL` for every model. Times are Unix time in ms. */
export const tables = `
  CREATE TABLE keys_workers (
    key_id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    model_endpoints TEXT,
    issued_at INTEGER NOT NULL,
    expires_at INTEGER,
    rotated_at INTEGER,
    revoked_at INTEGER
  ) STRICT, WITHOUT ROWID;
`

/** There are few of them and they change by hand, so each event runs its own statement. */
export const rules = (db: DatabaseSync) => {
  const issue = db.prepare(
    "INSERT INTO keys_workers (key_id, name, model_endpoints, issued_at, expires_at) VALUES (?, ?, ?, ?, ?)"
  )
  const rotate = db.prepare("UPDATE keys_workers SET rotated_at = ? WHERE key_id = ?")
  const revoke = db.prepare("UPDATE keys_workers SET revoked_at = ? WHERE key_id = ?")
  return [
    on(WorkerKeyIssued, (data, { stream, time }) => {
      const models = data["modelEndpoints"] ?? null
      const expiresAt = integerOrNull(data, "expiresAt")
      issue.run(
        idOf(stream),
        text(data, "name"),
        models === null ? null : JSON.stringify(models),
        time,
        expiresAt
      )
    }),
    on(WorkerKeyRotated, (_, { stream, time }) => {
      rotate.run(time, idOf(stream))
    }),
    on(WorkerKeyRevoked, (_, { stream, time }) => {
      revoke.run(time, idOf(stream))
    })
  ]
}
