/** What the server's thread and the projections' thread say to each other. No event is ever sent: the worker reads the log. */
import { Schema } from "effect"
import { NatsOptions } from "#streams/nats/NatsOptions.ts"
import { Progress } from "../Progress.ts"

/** Where the worker reads the log. Another backend is another case here and in `LogSource`. */
export const Log = Schema.TaggedUnion({
  Sqlite: { filename: Schema.String },
  Nats: { options: NatsOptions }
})
export type Log = typeof Log.Type

/** What the worker is started with. */
export const WorkerData = Schema.Struct({
  /** The file of the read models. */
  filename: Schema.String,
  log: Log
})
export type WorkerData = typeof WorkerData.Type

/** From the server: the log has grown. It carries nothing, so that many may count as one. */
export const wake = "wake"

/** From the server: end, with all files closed. The last word. */
export const stop = "stop"

const Moved = Schema.TaggedStruct("Moved", { moved: Schema.Array(Progress) })

/** A line for the server's log, so that the worker needs no logger of its own. */
const Logged = Schema.TaggedStruct("Logged", {
  level: Schema.Literals(["Fatal", "Error", "Warn", "Info", "Debug", "Trace"]),
  message: Schema.String,
  annotations: Schema.Record(Schema.String, Schema.Unknown)
})

/** The last word of a thread that fails. */
const Ended = Schema.TaggedStruct("Ended", {
  reason: Schema.String,
  /** Why the file of the read models has to be built anew (`runner/Damage`). */
  damage: Schema.NullOr(Schema.String)
})

export const FromWorker = Schema.Union([Moved, Logged, Ended])
export type FromWorker = typeof FromWorker.Type
