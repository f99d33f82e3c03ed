/** What the readers of event streams are told, and what they say: one JSON document per line each way. */
import { Schema } from "effect"

/** Opens streams, and waits until all of them have begun. */
export const Open = Schema.TaggedStruct("Open", {
  port: Schema.Int,
  path: Schema.String,
  headers: Schema.Record(Schema.String, Schema.String),
  streams: Schema.Int
})

/**
 * Posts `burst` bodies at once and waits until every stream has had as many events, again and again. With one the server
 * never has two events for a stream at a time.
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
  /** Events that all streams together have had. */
  operations: Schema.Int,
  elapsedMs: Schema.Number,
  /** From a post until the last stream has had its event. */
  latencyMs: Schema.Struct({ p50: Schema.Number, p99: Schema.Number })
})
