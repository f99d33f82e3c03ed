/**
 * The hash chain of a stream and the running digest of the log (architecture, "The log", 5). Hashes cover stream name,
 * ordinal, event id, type, time and data (with the payloads' hashes), and neither positions nor backend versions, so that a
 * copied log verifies.
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

/** The hash before the first event of a stream, and the digest of an empty log. */
export const origin = ""

/** `sha256(previous hash of the stream, canonical bytes)`, base64url. */
export const hash = (previous: string, link: Link): string =>
  crypto.hash(
    "sha256",
    `${previous}\n${JSON.stringify([link.stream, link.ordinal, link.id, link.type, link.time])}${link.text}`,
    "base64url"
  )

/** The digest after one more event: `sha256(previous digest, event hash)`, base64url. */
export const digest = (previous: string, eventHash: string): string =>
  crypto.hash("sha256", `${previous}\n${eventHash}`, "base64url")
