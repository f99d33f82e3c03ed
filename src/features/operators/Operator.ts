/** Who administers, however they signed in. */
import { Context, Effect } from "effect"
import type { Role } from "#domain/operator/Role.ts"

export interface Operator {
  /** `op_…` of a key; `socket` and `local` for the owner of the data directory. */
  readonly id: string
  readonly name: string
  readonly role: Role
}

/** The owner of the data directory, through the socket of the running server. */
export const ofSocket: Operator = { id: "socket", name: "socket", role: "owner" }

/** The owner of the data directory, without a server. */
const local: Operator = { id: "local", name: "local", role: "owner" }

/** Whether the operator is beyond every key, and so can always come back. */
export const isOnHost = ({ id }: Operator): boolean => id === ofSocket.id || id === local.id

/** A call of an operation: its operator, and the `request_id` of the call. */
export interface ActingOperator {
  readonly operator: Operator
  readonly callId: string | null
}

/** The call under way. */
export const ActingOperator = Context.Reference<ActingOperator>(
  "inferlog/src/features/operators/ActingOperator",
  { defaultValue: () => ({ operator: local, callId: null }) }
)

export const actAs =
  (acting: ActingOperator) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(effect, ActingOperator, acting)
