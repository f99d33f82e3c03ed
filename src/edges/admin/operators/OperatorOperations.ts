/** Operators and their actions: part of `Administration`. */
import { Schema } from "effect"
import { OperatorId } from "#domain/operator/Operator.ts"
import { OperatorIdentityId } from "#domain/operator-identity/OperatorIdentity.ts"
import { Role } from "#domain/operator/Role.ts"
import { ListedAction, ListedOperator } from "#projections/operators/OperatorViews.ts"
import { isName } from "#src/features/accounts/Name.ts"
import { LastOwner, OperatorEnded, OperatorNotFound } from "#src/features/operators/OperatorErrors.ts"
import * as Operation from "../Operation.ts"
import * as Wire from "../Wire.ts"

const Name = Schema.String.check(Schema.makeFilter(isName, { expected: "a name of 1 to 100 characters" }))

const WireOperator = Schema.Struct({
  ...ListedOperator.fields,
  createdAt: Wire.Time,
  expiresAt: Wire.TimeOrNull,
  rotatedAt: Wire.TimeOrNull,
  revokedAt: Wire.TimeOrNull
})

const WireAction = Schema.Struct({
  ...ListedAction.fields,
  startedAt: Wire.Time,
  endedAt: Wire.TimeOrNull
})

/** `key`: `<operatorId>:<secret>`. It is returned once, and is not stored. */
const Issued = Schema.Struct({ operatorId: OperatorId, key: Schema.RedactedFromValue(Schema.String) })

export const operatorOperations = [
  Operation.make("showSelf", {
    route: "GET /self",
    role: "viewer",
    summary: "Who calls",
    description: "The operator behind the key, and the server's release.",
    success: Schema.Struct({ id: Schema.String, name: Schema.String, role: Role, release: Schema.String })
  }),
  Operation.make("createOperator", {
    route: "POST /operators",
    role: "owner",
    summary: "Create an operator",
    description: "With a key, valid at once and shown once.",
    payload: { name: Name, role: Role, expiresAt: Wire.orNull(Wire.Time) },
    success: Issued,
    targets: ["operatorId", "name", "role"]
  }),
  Operation.make("listOperators", {
    route: "GET /operators",
    role: "owner",
    summary: "List operators",
    description: "By id, with revoked ones, without their secrets.",
    payload: Wire.paging(Schema.String),
    success: Wire.page(WireOperator, Schema.String)
  }),
  Operation.make("changeRole", {
    route: "PATCH /operators/:operatorId",
    role: "owner",
    summary: "Change the role of an operator",
    description: "In force with its next call. Over HTTP, the last owner stays one.",
    payload: { operatorId: OperatorId, role: Role },
    errors: [OperatorNotFound, OperatorEnded, LastOwner],
    targets: ["operatorId", "role"]
  }),
  Operation.make("rotateOperator", {
    route: "POST /operators/:operatorId/rotate",
    role: "owner",
    summary: "Rotate the key of an operator",
    description:
      "The previous key ends at once. Also for an operator whose key has expired, with a new `expiresAt`; `null`: never.",
    payload: { operatorId: OperatorId, expiresAt: Schema.optionalKey(Wire.TimeOrNull) },
    success: Issued,
    errors: [OperatorNotFound, OperatorEnded]
  }),
  Operation.make("revokeOperator", {
    route: "DELETE /operators/:operatorId",
    role: "owner",
    summary: "Revoke an operator",
    description: "At once and for good. Over HTTP, the last owner stays. Repeating it changes nothing.",
    payload: { operatorId: OperatorId },
    errors: [OperatorNotFound, LastOwner]
  }),
  Operation.make("endSessions", {
    route: "DELETE /sessions/:operatorId",
    role: "owner",
    summary: "End the sessions of an operator",
    description:
      "Of single sign-on, on every node. The operator can sign in again while the issuer gives a role. Repeating it changes nothing.",
    payload: { operatorId: OperatorIdentityId }
  }),
  Operation.make("listActions", {
    route: "GET /actions",
    role: "auditor",
    summary: "List actions of operators",
    description:
      "Newest first. `result` is null while an action is under way, and for good when it was cut off: its effect is then unknown.",
    payload: {
      operatorId: Schema.optionalKey(Schema.String),
      action: Schema.optionalKey(Schema.String),
      ...Wire.paging(Schema.String)
    },
    success: Wire.page(WireAction, Schema.String)
  })
] as const
