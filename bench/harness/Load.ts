/** What the load generator is told, and what it says: one JSON document per line each way. */
import { Schema } from "effect"

export const Load = Schema.Struct({
  /** Of the servers: the connections are spread over them. */
  ports: Schema.NonEmptyArray(Schema.Int),
  /** Kept alive, with one request in flight on each. */
  connections: Schema.Int,
  /** After this no request is begun; those in flight are waited for. */
  seconds: Schema.Number,
  /** Whole requests, sent in turn. */
  requests: Schema.Array(Schema.String),
  /** Of every answer. Any other ends the load with an error. */
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
