/**
 * The operator's decisions to continue with a log whose `log.head` was damaged, missing or ahead of the log. One stream has
 * all of them, so that an auditor finds every point before which events may be missing.
 */
import { Result, Schema } from "effect"
import type { Aggregate } from "../Aggregate.ts"
import * as EventCodec from "../EventCodec.ts"

/** `ahead`: `log.head` covers events that the log does not have. */
export const Fault = Schema.Literals(["damaged", "missing", "ahead"])
export type Fault = typeof Fault.Type

/** Names and fields are the storage format: add optional fields, never rename. */
const LogHeadAccepted = Schema.TaggedStruct("LogHeadAccepted", {
  /** Unix time in ms. */
  at: Schema.Int,
  fault: Fault,
  /** The position of the end of the log. */
  end: Schema.String,
  /** The position in `log.head`. Absent when it could not be read. */
  noted: Schema.optionalKey(Schema.String),
  /** Name of the file next to `log.head` with its former content. Absent when there was no file. */
  keptAs: Schema.optionalKey(Schema.String)
})
type LogHeadAccepted = typeof LogHeadAccepted.Type

const codec = EventCodec.make([LogHeadAccepted])
export type Event = ReturnType<typeof codec.decode>

export type Command = { readonly _tag: "Accept"; readonly accepted: Omit<LogHeadAccepted, "_tag"> }

export interface State {
  /** The number of acceptances. */
  readonly count: number
}

/** The id of the only stream. */
export const id = "log"

export const aggregate: Aggregate<State, Command, Event, never> = {
  category: "LogHeadAcceptance",
  codec,
  decider: {
    initial: { count: 0 },
    decide: ({ accepted }) => Result.succeed([{ _tag: "LogHeadAccepted", ...accepted }]),
    evolve: ({ count }) => ({ count: count + 1 })
  }
}
