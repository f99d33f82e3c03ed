/** `operatorOperations` on the log. */
import { Effect } from "effect"
import { Operators } from "#projections/operators/Operators.ts"
import { Projections } from "#projections/Projections.ts"
import { ActingOperator } from "#src/features/operators/Operator.ts"
import { OperatorKeys } from "#src/features/operators/OperatorKeys.ts"
import { OperatorSessions } from "#src/features/operators/OperatorSessions.ts"
import { version } from "#src/kernel/program/ReleaseVersion.ts"
import { EventReader } from "#streams/EventReader.ts"
import type { LocalOperations } from "../Operations.ts"
import * as Pages from "../Pages.ts"
import type { operatorOperations } from "./OperatorOperations.ts"

export const make = Effect.gen(function* () {
  const keys = yield* OperatorKeys
  const sessions = yield* OperatorSessions
  const operators = yield* Operators
  const projections = yield* Projections
  const reader = yield* EventReader

  /** Waits until the lists include everything on the log. */
  const upToDate = Effect.flatMap(reader.head, (head) =>
    projections.waitFor(head, { projection: "operators" })
  )

  const operations: LocalOperations<typeof operatorOperations> = {
    showSelf: () => Effect.map(ActingOperator, ({ operator }) => ({ ...operator, release: version })),
    createOperator: (options) => keys.create(options),
    listOperators: ({ after, limit }) =>
      Effect.andThen(
        upToDate,
        Pages.read(
          limit,
          (limit) => operators.list({ after, limit }),
          ({ operatorId }) => operatorId
        )
      ),
    changeRole: (options) => keys.changeRole(options),
    rotateOperator: (options) => keys.rotate(options),
    revokeOperator: ({ operatorId }) => keys.revoke(operatorId),
    endSessions: ({ operatorId }) => sessions.revoke(operatorId),
    listActions: ({ limit, ...options }) =>
      Effect.andThen(
        upToDate,
        Pages.read(
          limit,
          (limit) => operators.actions({ ...options, limit }),
          ({ actionId }) => actionId
        )
      )
  }
  return operations
})
