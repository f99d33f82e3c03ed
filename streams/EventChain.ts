/**
 * The hash chain of a stream and the running digest of the log (architecture, "The log", 5). What is hashed are stream
 * name, ordinal, event id, type, time and data (which holds the payloads' hashes), never positions or backend versions,
 * so that a copied log verifies.
 */
import * as crypto from "node:crypto"

export interface Link {
  readonly stream: string
  readonly ordinal: number
  readonly id: string
  readonly type: string
  readonly time: number
  /** Canonical JSON of the data. */
  readonly text: string
}

/** What the first event of a stream chains to, and the digest of an empty log. */
export const origin = ""

/** `sha256(previous hash of the stream, canonical bytes)`, base64url. */
export const hash = (previous: string, link: Link): string =>
  crypto.hash(
    "sha256",
    `${previous}\n${JSON.stringify([link.stream, link.ordinal, link.id, link.type, link.time])}${link.text}`,
    "base64url"
  )

/** The digest of a log after one more event: `sha256(digest before, event hash)`, base64url. */
export const digest = (previous: string, eventHash: string): string =>
  crypto.hash("sha256", `${previous}\n${eventHash}`, "base64url")
