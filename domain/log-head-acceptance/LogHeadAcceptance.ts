/**
 * The operator's decisions to go on with a log whose `log.head` was damaged, missing, or ahead of it. One stream holds all
 * of them, so that an auditor finds each point before which events may be missing.
 */
import { Result, Schema } from "effect"
import type { Aggregate } from "../Aggregate.ts"
import type { Decider } from "../Decider.ts"
import * as EventCodec from "../EventCodec.ts"

/** `ahead`: it named events that the log does not have. */
export const Fault = Schema.Literals(["damaged", "missing", "ahead"])
export type Fault = typeof Fault.Type

/** Its names and fields are the storage format: add optional fields, never rename. */
const LogHeadAccepted = Schema.TaggedStruct("LogHeadAccepted", {
  /** Unix time in ms. */
  at: Schema.Int,
  fault: Fault,
  /** Position at which the log ended. */
  end: Schema.String,
  /** Position that `log.head` named; absent when it could not be read. */
  noted: Schema.optionalKey(Schema.String),
  /** Name of the file, beside `log.head`, that keeps what was there; absent when there was no file. */
  keptAs: Schema.optionalKey(Schema.String)
})
type LogHeadAccepted = typeof LogHeadAccepted.Type

const codec = EventCodec.make([LogHeadAccepted])
export type Event = ReturnType<typeof codec.decode>

export type Command = { readonly _tag: "Accept"; readonly accepted: Omit<LogHeadAccepted, "_tag"> }

export interface State {
  /** How often a `log.head` was accepted. */
  readonly count: number
}

const decider: Decider<State, Command, Event, never> = {
  initial: { count: 0 },
  decide: ({ accepted }) => Result.succeed([{ _tag: "LogHeadAccepted", ...accepted }]),
  evolve: ({ count }) => ({ count: count + 1 })
}

/** The id of the one stream. */
export const id = "log"

export const aggregate: Aggregate<State, Command, Event, never> = {
  category: "LogHeadAcceptance",
  codec,
  decider
}
