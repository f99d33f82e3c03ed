/** The protocol of the readers of outputs: one JSON document per line in each direction. */
import { Schema } from "effect"

const where = {
  port: Schema.Int,
  path: Schema.String,
  headers: Schema.Record(Schema.String, Schema.String)
}

/** Opens streams that type until they are closed, counts their chunks for some seconds, and closes them. */
export const Many = Schema.TaggedStruct("Many", {
  ...where,
  streams: Schema.Int,
  everyMs: Schema.Number,
  seconds: Schema.Number
})

/** Opens streams one after the other, for the time until each first chunk. */
export const First = Schema.TaggedStruct("First", { ...where, seconds: Schema.Number })

export const Order = Schema.Union([Many, First])
export type Order = typeof Order.Type

export const Counted = Schema.Struct({
  /** Chunks. */
  operations: Schema.Int,
  elapsedMs: Schema.Number,
  /** From the upstream's write to the reader, of each 16th chunk or of each first one. */
  latencyMs: Schema.Struct({ p50: Schema.Number, p99: Schema.Number })
})
