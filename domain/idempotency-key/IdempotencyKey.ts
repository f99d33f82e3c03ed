/**
 * A client's `Idempotency-Key`. It is reserved before the request is submitted under the reserved id, so that the client's
 * retry repairs a crash in between (decisions, "Idempotency").
 */
import { Result, Schema } from "effect"
import type { Aggregate } from "../Aggregate.ts"
import * as EventCodec from "../EventCodec.ts"
import { type AccountId, RequestId } from "../Ids.ts"

/** Keys are text of the client and may be long, so the stream's id contains their hash. */
export const streamId = (accountId: AccountId, keyHash: string): string => `${accountId}-${keyHash}`

/** How long a reservation is valid, ms. */
export const retentionMs = 24 * 60 * 60 * 1000

/** Names and fields are the storage format: add optional fields, never rename. */
const KeyReserved = Schema.TaggedStruct("KeyReserved", {
  at: Schema.Int,
  requestId: RequestId,
  /** Hash of method, path, raw body, metadata and deadline headers. */
  requestHash: Schema.String,
  /** Unix time in ms. */
  expiresAt: Schema.Int
})

const codec = EventCodec.make([KeyReserved])
export type Event = typeof KeyReserved.Type

export interface Command {
  readonly _tag: "Reserve"
  readonly at: number
  /** The id to submit under if the key is free. */
  readonly requestId: RequestId
  readonly requestHash: string
}

export type State = { readonly _tag: "Free" } | (Omit<Event, "_tag"> & { readonly _tag: "Reserved" })

/** The key is reserved for a different request of the account. */
export interface Rejection {
  readonly _tag: "KeyReused"
}

export const aggregate: Aggregate<State, Command, Event, Rejection> = {
  category: "IdempotencyKey",
  codec,
  decider: {
    initial: { _tag: "Free" },
    decide: (command, state) => {
      if (state._tag === "Reserved" && state.expiresAt > command.at) {
        return state.requestHash === command.requestHash
          ? Result.succeed([])
          : Result.fail({ _tag: "KeyReused" })
      }
      return Result.succeed([{ ...command, _tag: "KeyReserved", expiresAt: command.at + retentionMs }])
    },
    evolve: (_, event) => ({ ...event, _tag: "Reserved" })
  }
}
