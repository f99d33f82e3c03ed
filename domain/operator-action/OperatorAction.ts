/**
 * One action of an operator that may change something. It is started on the log before it takes effect, so that nothing
 * changes unrecorded, and ended after it. An action without an end was cut off: its effect is unknown, and its target shows it.
 */
import { Result, Schema } from "effect"
import type { Aggregate } from "../Aggregate.ts"
import * as EventCodec from "../EventCodec.ts"
import { Role } from "../operator/Role.ts"

/** Unix time in ms. */
const at = Schema.Int

/** Ids and names, by field: never secrets or payloads. */
const Targets = Schema.Record(Schema.String, Schema.String)

/** Names and fields of the events are the storage format: add cases or optional fields, never rename. */
export const OperatorActionStarted = Schema.TaggedStruct("OperatorActionStarted", {
  at,
  /** An operator's id, `socket` for the server's own machine, or `local` for a command without a server. */
  operatorId: Schema.String,
  operatorName: Schema.String,
  role: Role,
  /** The operation, such as `revokeKey`. */
  action: Schema.String,
  targets: Targets,
  /** The `request_id` of the call; `null` without one. */
  callId: Schema.NullOr(Schema.String)
})
export type OperatorActionStarted = typeof OperatorActionStarted.Type

/** `refused`: the operation had no effect, for the reason `code`. `failed`: it may have had a part of its effect. */
export const ActionResult = Schema.Literals(["done", "refused", "failed"])
export type ActionResult = typeof ActionResult.Type

export const OperatorActionEnded = Schema.TaggedStruct("OperatorActionEnded", {
  at,
  result: ActionResult,
  code: Schema.NullOr(Schema.String),
  /** What the action made. */
  made: Targets
})
export type OperatorActionEnded = typeof OperatorActionEnded.Type

const codec = EventCodec.make([OperatorActionStarted, OperatorActionEnded])
export type Event = ReturnType<typeof codec.decode>

export type Command =
  | { readonly _tag: "Start"; readonly action: Omit<OperatorActionStarted, "_tag"> }
  | { readonly _tag: "End"; readonly end: Omit<OperatorActionEnded, "_tag"> }

export type State = { readonly _tag: "NotStarted" | "Started" | "Ended" }

const decide = (command: Command, { _tag }: State): Result.Result<ReadonlyArray<Event>> => {
  switch (command._tag) {
    case "Start":
      return Result.succeed(
        _tag === "NotStarted" ? [{ _tag: "OperatorActionStarted", ...command.action }] : []
      )
    case "End":
      return Result.succeed(_tag === "Started" ? [{ _tag: "OperatorActionEnded", ...command.end }] : [])
  }
}

const evolve = (_: State, event: Event): State => ({
  _tag: event._tag === "OperatorActionStarted" ? "Started" : "Ended"
})

export const aggregate: Aggregate<State, Command, Event, never> = {
  category: "OperatorAction",
  codec,
  decider: { initial: { _tag: "NotStarted" }, decide, evolve }
}
