/** Operators and what they did, for lists. Contains no hashes of secrets: authentication reads the operator's stream. */
import {
  OperatorCreated,
  OperatorKeyRotated,
  OperatorRevoked,
  OperatorRoleChanged
} from "#domain/operator/Operator.ts"
import { OperatorActionEnded, OperatorActionStarted } from "#domain/operator-action/OperatorAction.ts"
import { idOf } from "#streams/StreamName.ts"
import { integerOrNull, text, textOrNull } from "../EventFields.ts"
import { on, type Projection } from "../Projection.ts"

/** Times are Unix time in ms; targets are JSON. The ids of actions sort by time. */
const tables = `
  CREATE TABLE operators_operators (
    operator_id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    rotated_at INTEGER,
    revoked_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE operators_actions (
    action_id TEXT PRIMARY KEY,
    operator_id TEXT NOT NULL,
    operator_name TEXT NOT NULL,
    role TEXT NOT NULL,
    action TEXT NOT NULL,
    targets TEXT NOT NULL,
    call_id TEXT,
    started_at INTEGER NOT NULL,
    result TEXT,
    code TEXT,
    made TEXT NOT NULL DEFAULT '{}',
    ended_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX operators_actions_of ON operators_actions (operator_id, action_id);
`

export const projection: Projection = {
  name: "operators",
  version: 1,
  categories: ["Operator", "OperatorAction"],
  tables,
  /** Operators act by hand, so each event runs its own statement. */
  open: (db) => {
    const create = db.prepare(
      "INSERT INTO operators_operators (operator_id, name, role, created_at, expires_at) VALUES (?, ?, ?, ?, ?)"
    )
    const change = db.prepare("UPDATE operators_operators SET role = ? WHERE operator_id = ?")
    const rotate = db.prepare(
      "UPDATE operators_operators SET rotated_at = ?, expires_at = ? WHERE operator_id = ?"
    )
    const revoke = db.prepare("UPDATE operators_operators SET revoked_at = ? WHERE operator_id = ?")
    const start = db.prepare(
      "INSERT INTO operators_actions (action_id, operator_id, operator_name, role, action, targets, call_id, started_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
    )
    const end = db.prepare(
      "UPDATE operators_actions SET result = ?, code = ?, made = ?, ended_at = ? WHERE action_id = ?"
    )
    const rules = [
      on(OperatorCreated, (data, { stream, time }) => {
        create.run(
          idOf(stream),
          text(data, "name"),
          text(data, "role"),
          time,
          integerOrNull(data, "expiresAt")
        )
      }),
      on(OperatorRoleChanged, (data, { stream }) => {
        change.run(text(data, "role"), idOf(stream))
      }),
      on(OperatorKeyRotated, (data, { stream, time }) => {
        rotate.run(time, integerOrNull(data, "expiresAt"), idOf(stream))
      }),
      on(OperatorRevoked, (_, { stream, time }) => {
        revoke.run(time, idOf(stream))
      }),
      on(OperatorActionStarted, (data, { stream, time }) => {
        start.run(
          idOf(stream),
          text(data, "operatorId"),
          text(data, "operatorName"),
          text(data, "role"),
          text(data, "action"),
          JSON.stringify(data["targets"] ?? {}),
          textOrNull(data, "callId"),
          time
        )
      }),
      on(OperatorActionEnded, (data, { stream, time }) => {
        end.run(
          text(data, "result"),
          textOrNull(data, "code"),
          JSON.stringify(data["made"] ?? {}),
          time,
          idOf(stream)
        )
      })
    ]
    return { rules }
  }
}
