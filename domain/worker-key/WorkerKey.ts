/**
 * The key of a worker that fetches jobs. It belongs to the operator and not to an account, because a worker sees what all
 * accounts submit to its models. Its secret is on the log as a hash only.
 */
import { Result, Schema } from "effect"
import type { Aggregate } from "../Aggregate.ts"
import * as EventCodec from "../EventCodec.ts"
import { ModelEndpoint } from "../ModelEndpoint.ts"

/** Unix time in ms, like all times here. */
const at = Schema.Int

/** Names and fields of the events are the storage format: add cases or optional fields, never rename. */
export const WorkerKeyIssued = Schema.TaggedStruct("WorkerKeyIssued", {
  at,
  name: Schema.String,
  /** Hex SHA-256. */
  secretHash: Schema.String,
  /** Models whose jobs it may take. `null`: every model. */
  modelEndpoints: Schema.NullOr(Schema.Array(ModelEndpoint)),
  /** When the key ends. `null`: never. */
  expiresAt: Schema.NullOr(Schema.Int)
})
export type WorkerKeyIssued = typeof WorkerKeyIssued.Type

/** Replaces the secret. The previous secret stays valid until `previousExpiresAt`; older ones end. */
export const WorkerKeyRotated = Schema.TaggedStruct("WorkerKeyRotated", {
  at,
  secretHash: Schema.String,
  previousExpiresAt: Schema.Int
})

export const WorkerKeyRevoked = Schema.TaggedStruct("WorkerKeyRevoked", { at })

export const codec = EventCodec.make([WorkerKeyIssued, WorkerKeyRotated, WorkerKeyRevoked])
export type Event = ReturnType<typeof codec.decode>

export type Command =
  | { readonly _tag: "Issue"; readonly key: Omit<WorkerKeyIssued, "_tag"> }
  | {
      readonly _tag: "Rotate"
      readonly at: number
      readonly secretHash: string
      readonly previousExpiresAt: number
    }
  | { readonly _tag: "Revoke"; readonly at: number }

export interface WorkerKey {
  readonly _tag: "WorkerKey"
  readonly issued: WorkerKeyIssued
  /** Hash of the current secret. */
  readonly secretHash: string
  readonly previous: { readonly secretHash: string; readonly expiresAt: number } | null
  readonly revokedAt: number | null
}

export type State = { readonly _tag: "NotIssued" } | WorkerKey

export type Rejection =
  | { readonly _tag: "WorkerKeyNotFound" }
  /** The key was revoked or has expired. */
  | { readonly _tag: "WorkerKeyEnded" }

/** Whether the key is neither revoked nor expired at `now`. */
export const isValid = ({ issued, revokedAt }: WorkerKey, now: number): boolean =>
  revokedAt === null && (issued.expiresAt === null || now < issued.expiresAt)

/** Whether the key may take jobs of the model. */
export const allows = ({ issued: { modelEndpoints } }: WorkerKey, model: string): boolean =>
  modelEndpoints === null || modelEndpoints.some((allowed) => allowed === model)

const decide = (command: Command, state: State): Result.Result<ReadonlyArray<Event>, Rejection> => {
  if (command._tag === "Issue") {
    return Result.succeed(state._tag === "NotIssued" ? [{ _tag: "WorkerKeyIssued", ...command.key }] : [])
  }
  if (state._tag === "NotIssued") return Result.fail({ _tag: "WorkerKeyNotFound" })
  switch (command._tag) {
    case "Rotate":
      return isValid(state, command.at)
        ? Result.succeed([{ ...command, _tag: "WorkerKeyRotated" }])
        : Result.fail({ _tag: "WorkerKeyEnded" })
    case "Revoke":
      return Result.succeed(state.revokedAt === null ? [{ ...command, _tag: "WorkerKeyRevoked" }] : [])
  }
}

const evolve = (state: State, event: Event): State => {
  if (event._tag === "WorkerKeyIssued") {
    const { secretHash } = event
    return { _tag: "WorkerKey", issued: event, secretHash, previous: null, revokedAt: null }
  }
  if (state._tag === "NotIssued") return state
  switch (event._tag) {
    case "WorkerKeyRotated": {
      const { previousExpiresAt: expiresAt, secretHash } = event
      const previous = expiresAt > event.at ? { secretHash: state.secretHash, expiresAt } : null
      return { ...state, secretHash, previous }
    }
    case "WorkerKeyRevoked":
      return { ...state, revokedAt: state.revokedAt ?? event.at }
  }
}

export const aggregate: Aggregate<State, Command, Event, Rejection> = {
  category: "WorkerKey",
  codec,
  decider: { initial: { _tag: "NotIssued" }, decide, evolve }
}
