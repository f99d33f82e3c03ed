/** The protocol of the mixed load: one JSON document per line in each direction. */
import { Schema } from "effect"

export const Order = Schema.Struct({
  port: Schema.Int,
  headers: Schema.Record(Schema.String, Schema.String),
  webhook: Schema.String,
  seconds: Schema.Number,
  /** Turns that begin in a second; `null` for as many as 32 clients can do, one after the other. */
  perSecond: Schema.NullOr(Schema.Number)
})
export type Order = typeof Order.Type

const Latencies = Schema.Struct({ p50: Schema.Number, p99: Schema.Number })

export const Mixed = Schema.Struct({
  /** Turns that ended. Each submits one request. */
  turns: Schema.Int,
  calls: Schema.Int,
  elapsedMs: Schema.Number,
  submit: Latencies,
  poll: Latencies
})
export type Mixed = typeof Mixed.Type
