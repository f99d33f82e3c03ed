/** A minimal aggregate for tests of actors: a number that can be raised up to a limit, and notes. */
import { Result, Schema } from "effect"
import type { Aggregate } from "#domain/Aggregate.ts"
import * as EventCodec from "#domain/EventCodec.ts"
import { PayloadRef } from "#domain/PayloadRef.ts"

const limit = 100

const at = Schema.Int
const Raised = Schema.TaggedStruct("Raised", { at, by: Schema.Int, total: Schema.Int })
const Noted = Schema.TaggedStruct("Noted", { at, payloads: Schema.Struct({ note: PayloadRef }) })
const PayloadsErased = Schema.TaggedStruct("PayloadsErased", {
  at,
  erased: Schema.Array(Schema.String)
})

const codec = EventCodec.make([Raised, Noted, PayloadsErased])
export type Event = ReturnType<typeof codec.decode>

export type Command =
  /** No events if `by` is 0. */
  | { readonly _tag: "Raise"; readonly by: number }
  | { readonly _tag: "Note"; readonly note: PayloadRef }
  | { readonly _tag: "Erase"; readonly erased: ReadonlyArray<string> }

export interface State {
  readonly total: number
}

export interface Rejection {
  readonly _tag: "PastLimit"
}

export const aggregate: Aggregate<State, Command, Event, Rejection> = {
  category: "Counter",
  codec,
  decider: {
    initial: { total: 0 },
    decide: (command, { total }) => {
      if (command._tag === "Note") {
        return Result.succeed([{ _tag: "Noted", at: 1, payloads: { note: command.note } }])
      }
      if (command._tag === "Erase") {
        return Result.succeed([{ _tag: "PayloadsErased", at: 1, erased: command.erased }])
      }
      const { by } = command
      if (total + by > limit) return Result.fail({ _tag: "PastLimit" })
      return Result.succeed(by === 0 ? [] : [{ _tag: "Raised", at: 1, by, total: total + by }])
    },
    evolve: (state, event) => (event._tag === "Raised" ? { total: event.total } : state)
  }
}

export const raise = (by = 1): Command => ({ _tag: "Raise", by })
