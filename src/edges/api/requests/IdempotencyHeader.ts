/** `Idempotency-Key` on submit (decisions, "Idempotency"), and when two submits are the same request. */
import * as crypto from "node:crypto"
import { Result } from "effect"
import { invalid, issue, type Parsed } from "#src/edges/http/requests/Parsed.ts"
import type { RelativeDeadlines } from "#src/features/requests/Requests.ts"
import type * as MetadataHeader from "./MetadataHeader.ts"
import type { RequestHeaders } from "#src/edges/http/requests/RequestHeaders.ts"

const name = "Idempotency-Key"

/** Characters. */
export const longestKey = 255

/** The characters of a key. */
export const pattern = /^[\x20-\x7e]{1,255}$/

const none: Parsed<string | null> = Result.succeed(null)

export const parse = (header: string | undefined): Parsed<string | null> => {
  if (header === undefined) return none
  return pattern.test(header)
    ? Result.succeed(header)
    : invalid(issue([name], "pattern", "must be 1 to 255 printable ASCII characters"))
}

/** The purpose for which the secret of `requestHash` is derived. */
export const purpose = "idempotency request hash"

/** What identifies a request (decisions, "Idempotency-Key"). */
export interface Meant {
  /** Without the leading slash. */
  readonly path: string
  readonly metadata: MetadataHeader.Metadata
  readonly deadlines: RelativeDeadlines
  /** Equal for bodies of equal content (`JsonText.content`). */
  readonly content: string
}

const mark = "hmac."
const contentMark = "content."

const hmac = (secret: Buffer, head: string, body: string | Uint8Array): string =>
  crypto.createHmac("sha256", secret).update(head).update(body).digest("base64url")

/** HMAC-SHA-256 over the identifying parts, `head` first. Without the secret, the hash cannot test guesses of a body. */
export const hashOf = (secret: Buffer, head: string, body: string | Uint8Array): string =>
  mark + hmac(secret, head, body)

/** Over method, path, metadata, deadlines and the content of the body: order, blanks and escapes do not count. */
export const requestHash = (secret: Buffer, { content, deadlines, metadata, path }: Meant): string => {
  const labels = Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1))
  const head = JSON.stringify(["POST", `/${path}`, labels, deadlines.startTimeoutMs, deadlines.cancelAfterMs])
  return contentMark + hmac(secret, head, `\n${content}`)
}

/** A submit as earlier releases compared it: byte by byte. */
export interface Sent {
  readonly path: string
  readonly headers: RequestHeaders
  readonly body: Uint8Array
}

const relevant = ["x-request-metadata", "x-request-start-timeout", "cancel-after"]

/** Whether `hash` is the request's in a form that earlier releases stored for a day, the first of them without the secret. */
export const isFormerHash = (secret: Buffer, hash: string, { body, headers, path }: Sent): boolean => {
  if (hash.startsWith(contentMark)) return false
  const head = JSON.stringify(["POST", `/${path}`, ...relevant.map((header) => headers[header] ?? null)])
  return hash.startsWith(mark)
    ? hash === hashOf(secret, head, body)
    : hash === crypto.createHash("sha256").update(head).update(body).digest("base64url")
}
