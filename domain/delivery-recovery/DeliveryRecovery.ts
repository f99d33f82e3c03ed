/**
 * A bulk recovery: sends again all failed deliveries of an account that were created within a time range. There may be a
 * million, so the request is recorded first and carried out in the background.
 */
import { Result, Schema } from "effect"
import type { Aggregate } from "../Aggregate.ts"
import * as EventCodec from "../EventCodec.ts"
import { AccountId } from "../Ids.ts"

/** Unix time in ms, like all times here. */
const at = Schema.Int

export const RecoveryId = Schema.String.pipe(Schema.brand("RecoveryId"))
export type RecoveryId = typeof RecoveryId.Type

/** Names and fields of the events are the storage format: add cases or optional fields, never rename. */
export const RecoveryRequested = Schema.TaggedStruct("RecoveryRequested", {
  at,
  accountId: AccountId,
  /** Includes deliveries created at or after this time. */
  since: Schema.Int,
  /** Includes deliveries created before this time. */
  until: Schema.Int
})
export type RecoveryRequested = typeof RecoveryRequested.Type

/** Every delivery in the range was scheduled again or no longer needs to be. */
export const RecoveryFinished = Schema.TaggedStruct("RecoveryFinished", { at, replayed: Schema.Int })

export const codec = EventCodec.make([RecoveryRequested, RecoveryFinished])
export type Event = ReturnType<typeof codec.decode>

export type Command =
  | { readonly _tag: "Request"; readonly recovery: Omit<RecoveryRequested, "_tag"> }
  | { readonly _tag: "Finish"; readonly at: number; readonly replayed: number }

export type State =
  | { readonly _tag: "NotRequested" }
  | { readonly _tag: "Recovery"; readonly requested: RecoveryRequested; readonly isFinished: boolean }

export type Rejection = { readonly _tag: "RecoveryNotFound" }

const decide = (command: Command, state: State): Result.Result<ReadonlyArray<Event>, Rejection> => {
  switch (command._tag) {
    case "Request":
      return Result.succeed(
        state._tag === "NotRequested" ? [{ _tag: "RecoveryRequested", ...command.recovery }] : []
      )
    case "Finish":
      if (state._tag === "NotRequested") return Result.fail({ _tag: "RecoveryNotFound" })
      return Result.succeed(state.isFinished ? [] : [{ ...command, _tag: "RecoveryFinished" }])
  }
}

const evolve = (state: State, event: Event): State => {
  switch (event._tag) {
    case "RecoveryRequested":
      return { _tag: "Recovery", requested: event, isFinished: false }
    case "RecoveryFinished":
      return state._tag === "Recovery" ? { ...state, isFinished: true } : state
  }
}

export const aggregate: Aggregate<State, Command, Event, Rejection> = {
  category: "DeliveryRecovery",
  codec,
  decider: { initial: { _tag: "NotRequested" }, decide, evolve }
}
