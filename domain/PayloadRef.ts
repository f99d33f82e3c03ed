/**
 * How an event refers to a payload. Payloads are large and personal, so they are stored outside events, which have only
 * their salted hashes: erasing a payload leaves the log intact. Storage convention: the field `payloads` of an event's
 * data maps names to references.
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
