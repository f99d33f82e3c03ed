/** Refuses operators whose role is too low. */
import { Effect } from "effect"
import { allows, type Role } from "#domain/operator/Role.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import type { Operator } from "#src/features/operators/Operator.ts"

const roleRequired = (role: Role) =>
  ErrorAnswer.coded(403, "ROLE_REQUIRED", `This needs an operator with the role ${role}.`, { role })

export const permit = (operator: Operator, role: Role): Effect.Effect<void, ErrorAnswer.ErrorAnswer> =>
  allows(operator.role, role) ? Effect.void : Effect.fail(roleRequired(role))
