/**
 * How an event refers to a payload. Inputs, outputs and webhook bodies are large and personal, so they are stored outside
 * events. The event has a salted hash, so that erasing a payload leaves the log intact.
 *
 * Storage convention: an event's data may have the field `payloads`, an object that maps payload names to references.
 */
import { Schema } from "effect"

export const PayloadRef = Schema.Struct({
  /** base64url SHA-256 of the salt followed by the payload's bytes. The salt is stored with the payload. */
  hash: Schema.String,
  /** Bytes of the payload. */
  size: Schema.Int
})
export type PayloadRef = typeof PayloadRef.Type

/** The largest payload stored in the log's own store, in bytes. Larger ones are stored in the blob store. */
export const inlineLimit = 64 * 1024
