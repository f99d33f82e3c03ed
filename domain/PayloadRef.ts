/**
 * What an event says of a payload. Inputs, outputs and webhook bodies (large, personal) lie beside the log; the event
 * carries their salted hash, so that erasing a payload leaves the log whole.
 *
 * Storage convention: an event's data may have the field `payloads`, an object from a payload's name to its reference.
 */
import { Schema } from "effect"

export const PayloadRef = Schema.Struct({
  /** base64url SHA-256 of the salt followed by the payload's bytes; the salt lies with the payload. */
  hash: Schema.String,
  /** Bytes of the payload. */
  size: Schema.Int
})
export type PayloadRef = typeof PayloadRef.Type

/** Bytes up to which a payload lies in the log's own store, and past which in the blob store. */
export const inlineLimit = 64 * 1024
