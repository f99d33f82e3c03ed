/** The protocol of the load generator: one JSON document per line in each direction. */
import { Schema } from "effect"

export const Load = Schema.Struct({
  /** Ports of the servers. The connections are spread over them. */
  ports: Schema.NonEmptyArray(Schema.Int),
  /** Kept alive, with one request in flight on each. */
  connections: Schema.Int,
  /** After this time no request starts. Requests in flight are completed. */
  seconds: Schema.Number,
  /** Whole requests, sent in turn. */
  requests: Schema.Array(Schema.String),
  /** Expected status of every answer. Another status is an error. */
  status: Schema.Int
})
export type Load = typeof Load.Type

export const LoadResult = Schema.Struct({
  operations: Schema.Int,
  /** From the first request to the last answer, ms. */
  elapsedMs: Schema.Number,
  latencyMs: Schema.Struct({ p50: Schema.Number, p99: Schema.Number })
})
export type LoadResult = typeof LoadResult.Type

export const LoadAnswer = Schema.Union([LoadResult, Schema.Struct({ error: Schema.String })])
