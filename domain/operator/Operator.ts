/**
 * A person or a program that administers the installation from elsewhere, with a key and a role. The secret is on the log
 * as a hash only.
 */
import { Result, Schema } from "effect"
import type { Aggregate } from "../Aggregate.ts"
import * as EventCodec from "../EventCodec.ts"
import { Role } from "./Role.ts"

/** The id is the part of the operator's key before the colon. */
export const OperatorId = Schema.String.check(
  Schema.isPattern(/^op_[a-z0-9]{16}$/, { expected: "an operator's id such as op_0123456789abcdef" })
).pipe(Schema.brand("OperatorId"))
export type OperatorId = typeof OperatorId.Type

/** Unix time in ms, like all times here. */
const at = Schema.Int

/** Names and fields of the events are the storage format: add cases or optional fields, never rename. */
export const OperatorCreated = Schema.TaggedStruct("OperatorCreated", {
  at,
  name: Schema.String,
  role: Role,
  /** Hex SHA-256. */
  secretHash: Schema.String,
  /** When the key ends. `null`: never. */
  expiresAt: Schema.NullOr(Schema.Int)
})
export type OperatorCreated = typeof OperatorCreated.Type

export const OperatorRoleChanged = Schema.TaggedStruct("OperatorRoleChanged", { at, role: Role })

/** Replaces the secret at once: an operator's previous secret has no time of grace. */
export const OperatorKeyRotated = Schema.TaggedStruct("OperatorKeyRotated", {
  at,
  secretHash: Schema.String,
  expiresAt: Schema.NullOr(Schema.Int)
})

/** For good. */
export const OperatorRevoked = Schema.TaggedStruct("OperatorRevoked", { at })

const codec = EventCodec.make([OperatorCreated, OperatorRoleChanged, OperatorKeyRotated, OperatorRevoked])
export type Event = ReturnType<typeof codec.decode>

export type Command =
  | { readonly _tag: "Create"; readonly operator: Omit<OperatorCreated, "_tag"> }
  | { readonly _tag: "ChangeRole"; readonly at: number; readonly role: Role }
  | {
      readonly _tag: "RotateKey"
      readonly at: number
      readonly secretHash: string
      /** Unix time in ms; `null`: never. Absent: as before. */
      readonly expiresAt?: number | null
    }
  | { readonly _tag: "Revoke"; readonly at: number }

export interface Created {
  readonly _tag: "Operator"
  readonly name: string
  readonly role: Role
  readonly secretHash: string
  readonly expiresAt: number | null
  readonly revokedAt: number | null
}

export type State = { readonly _tag: "NotCreated" } | Created

export type Rejection =
  | { readonly _tag: "OperatorNotFound" }
  /** The operator was revoked. */
  | { readonly _tag: "OperatorEnded" }

/** Whether the operator is neither revoked nor expired at `now`. */
export const isValid = (
  { expiresAt, revokedAt }: Pick<Created, "expiresAt" | "revokedAt">,
  now: number
): boolean => revokedAt === null && (expiresAt === null || now < expiresAt)

const decide = (command: Command, state: State): Result.Result<ReadonlyArray<Event>, Rejection> => {
  if (command._tag === "Create") {
    return Result.succeed(
      state._tag === "NotCreated" ? [{ _tag: "OperatorCreated", ...command.operator }] : []
    )
  }
  if (state._tag === "NotCreated") return Result.fail({ _tag: "OperatorNotFound" })
  if (command._tag === "Revoke") {
    return Result.succeed(state.revokedAt === null ? [{ _tag: "OperatorRevoked", at: command.at }] : [])
  }
  if (state.revokedAt !== null) return Result.fail({ _tag: "OperatorEnded" })
  switch (command._tag) {
    case "ChangeRole":
      return Result.succeed(state.role === command.role ? [] : [{ ...command, _tag: "OperatorRoleChanged" }])
    case "RotateKey": {
      const { at, expiresAt = state.expiresAt, secretHash } = command
      return Result.succeed([{ _tag: "OperatorKeyRotated", at, secretHash, expiresAt }])
    }
  }
}

const evolve = (state: State, event: Event): State => {
  if (event._tag === "OperatorCreated") {
    const { expiresAt, name, role, secretHash } = event
    return { _tag: "Operator", name, role, secretHash, expiresAt, revokedAt: null }
  }
  if (state._tag === "NotCreated") return state
  switch (event._tag) {
    case "OperatorRoleChanged":
      return { ...state, role: event.role }
    case "OperatorKeyRotated":
      return { ...state, secretHash: event.secretHash, expiresAt: event.expiresAt }
    case "OperatorRevoked":
      return { ...state, revokedAt: state.revokedAt ?? event.at }
  }
}

export const aggregate: Aggregate<State, Command, Event, Rejection> = {
  category: "Operator",
  codec,
  decider: { initial: { _tag: "NotCreated" }, decide, evolve }
}
