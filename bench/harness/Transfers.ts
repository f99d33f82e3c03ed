/** What the program that moves bodies is told, and what it says: one JSON document per line each way. */
import { Schema } from "effect"

export const Transfers = Schema.Struct({
  port: Schema.Int,
  /** How many are under way, each on a connection of its own. */
  atOnce: Schema.Int,
  requests: Schema.NonEmptyArray(
    Schema.Struct({
      /** With the empty line at its end. */
      head: Schema.String,
      /** Of the body that is sent; made up by the program. */
      sentBytes: Schema.Int,
      /** Of the answer's body, where it has to be what the program sends in a body; otherwise the answer may be any. */
      receivedBytes: Schema.NullOr(Schema.Int)
    })
  ),
  /** Of every answer. Any other is an error. */
  status: Schema.Int
})
export type Transfers = typeof Transfers.Type

/** `etags`: of the answers, in the order of the requests, without quotes. */
export const Transferred = Schema.Struct({ etags: Schema.Array(Schema.NullOr(Schema.String)) })
export type Transferred = typeof Transferred.Type

export const TransferAnswer = Schema.Union([Transferred, Schema.Struct({ error: Schema.String })])
