/** What lists of operators and of their actions show. */
import { Schema } from "effect"
import { ActionResult } from "#domain/operator-action/OperatorAction.ts"
import { OperatorId } from "#domain/operator/Operator.ts"
import { Role } from "#domain/operator/Role.ts"

/** Times are Unix time in ms. */
export const ListedOperator = Schema.Struct({
  operatorId: OperatorId,
  name: Schema.String,
  role: Role,
  createdAt: Schema.Int,
  expiresAt: Schema.NullOr(Schema.Int),
  rotatedAt: Schema.NullOr(Schema.Int),
  revokedAt: Schema.NullOr(Schema.Int)
})
export type ListedOperator = typeof ListedOperator.Type

const Targets = Schema.Record(Schema.String, Schema.String)

/** Times are Unix time in ms. */
export const ListedAction = Schema.Struct({
  actionId: Schema.String,
  /** Or `socket`, `local`. */
  operatorId: Schema.String,
  operatorName: Schema.String,
  /** At the time of the action. */
  role: Role,
  action: Schema.String,
  targets: Targets,
  callId: Schema.NullOr(Schema.String),
  startedAt: Schema.Int,
  /** `null` while it is under way, and when it was cut off. */
  result: Schema.NullOr(ActionResult),
  code: Schema.NullOr(Schema.String),
  made: Targets,
  endedAt: Schema.NullOr(Schema.Int)
})
export type ListedAction = typeof ListedAction.Type
