/** The messages between the server's thread and the projections' thread. Events are never sent: the worker reads the log. */
import { Schema } from "effect"
import { NatsOptions } from "#streams/nats/NatsOptions.ts"
import { Progress } from "../Progress.ts"

/** Where the worker reads the log. Each backend is a case here and in `LogSource`. */
export const Log = Schema.TaggedUnion({
  Sqlite: { filename: Schema.String },
  Nats: { options: NatsOptions }
})
export type Log = typeof Log.Type

/** The worker's start data. */
export const WorkerData = Schema.Struct({
  /** The file of the read models. */
  filename: Schema.String,
  log: Log
})
export type WorkerData = typeof WorkerData.Type

/** From the server: the log has grown. It has no content, so that several can count as one. */
export const wake = "wake"

/** From the server: a reader waits for events that the log has. */
export const hurry = "hurry"

/** From the server, as its last message: close all files and end. */
export const stop = "stop"

const Moved = Schema.TaggedStruct("Moved", { moved: Schema.Array(Progress) })

/** A line for the server's log. The worker has no logger of its own. */
const Logged = Schema.TaggedStruct("Logged", {
  level: Schema.Literals(["Fatal", "Error", "Warn", "Info", "Debug", "Trace"]),
  message: Schema.String,
  annotations: Schema.Record(Schema.String, Schema.Unknown)
})

/** The last message of a thread that fails. */
const Ended = Schema.TaggedStruct("Ended", {
  reason: Schema.String,
  /** Why the file of the read models must be rebuilt (`runner/Damage`). */
  damage: Schema.NullOr(Schema.String)
})

/** The worker needs bytes of an archived segment that it cannot read itself. */
const SegmentWanted = Schema.TaggedStruct("SegmentWanted", {
  id: Schema.Int,
  place: Schema.Struct({ location: Schema.String, key: Schema.String }),
  /** `null` for the whole segment. */
  range: Schema.NullOr(
    Schema.Struct({ start: Schema.Int, length: Schema.Int, digest: Schema.optionalKey(Schema.String) })
  )
})
export type SegmentWanted = typeof SegmentWanted.Type

export const FromWorker = Schema.Union([Moved, Logged, Ended, SegmentWanted])
export type FromWorker = typeof FromWorker.Type

/** The server's answer: the bytes, or the reason why they cannot be read. */
export const SegmentAnswer = Schema.TaggedStruct("SegmentAnswer", {
  id: Schema.Int,
  bytes: Schema.NullOr(Schema.Uint8Array),
  /** Names the segment. Empty with the bytes. */
  reason: Schema.String
})
export type SegmentAnswer = typeof SegmentAnswer.Type
