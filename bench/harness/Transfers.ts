/** The protocol of the transfer generator: one JSON document per line in each direction. */
import { Schema } from "effect"

export const Transfers = Schema.Struct({
  port: Schema.Int,
  /** Number of concurrent transfers, each on its own connection. */
  atOnce: Schema.Int,
  requests: Schema.NonEmptyArray(
    Schema.Struct({
      /** The request's head, including the empty line. */
      head: Schema.String,
      /** Size of the generated body. */
      sentBytes: Schema.Int,
      /** Size of the answer's body, if it must be a generated body; otherwise any answer is accepted. */
      receivedBytes: Schema.NullOr(Schema.Int)
    })
  ),
  /** Expected status of every answer. */
  status: Schema.Int
})
export type Transfers = typeof Transfers.Type

/** `etags` of the answers without quotes, in the order of the requests. */
export const Transferred = Schema.Struct({ etags: Schema.Array(Schema.NullOr(Schema.String)) })
export type Transferred = typeof Transferred.Type

export const TransferAnswer = Schema.Union([Transferred, Schema.Struct({ error: Schema.String })])
