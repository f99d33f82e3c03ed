/** The protocol of the event stream readers: one JSON document per line in each direction. */
import { Schema } from "effect"

/** Opens streams and waits until all have started. */
export const Open = Schema.TaggedStruct("Open", {
  port: Schema.Int,
  path: Schema.String,
  headers: Schema.Record(Schema.String, Schema.String),
  streams: Schema.Int
})

/**
 * Repeatedly posts `burst` bodies at once and waits until every stream has received that many events. With a burst of 1 the
 * server never has two pending events for a stream.
 */
export const Measure = Schema.TaggedStruct("Measure", {
  path: Schema.String,
  body: Schema.String,
  burst: Schema.Int,
  seconds: Schema.Number
})
export type Measure = typeof Measure.Type

export const Order = Schema.Union([Open, Measure])
export type Order = typeof Order.Type

export const Opened = Schema.TaggedStruct("Opened", { streams: Schema.Int })

export const Measured = Schema.TaggedStruct("Measured", {
  /** Number of events received by all streams together. */
  operations: Schema.Int,
  elapsedMs: Schema.Number,
  /** Time from a post until the last stream has its event. */
  latencyMs: Schema.Struct({ p50: Schema.Number, p99: Schema.Number })
})
