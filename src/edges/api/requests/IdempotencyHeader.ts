/** `Idempotency-Key` on submit (decisions, "Idempotency"), and when two submits are the same request. */
import * as crypto from "node:crypto"
import { Result } from "effect"
import { invalid, issue, type Parsed } from "#src/edges/http/requests/Parsed.ts"
import type { RequestHeaders } from "#src/edges/http/requests/RequestHeaders.ts"

const name = "Idempotency-Key"

/** Characters. */
export const longestKey = 255

/** The characters of a key. */
export const pattern = /^[\x20-\x7e]{1,255}$/

export const parse = (header: string | undefined): Parsed<string | null> => {
  if (header === undefined) return Result.succeed(null)
  return pattern.test(header)
    ? Result.succeed(header)
    : invalid(issue([name], "pattern", "must be 1 to 255 printable ASCII characters"))
}

/** The purpose for which the secret of `requestHash` is derived. */
export const purpose = "idempotency request hash"

/** The parts of a submit that identify the request. */
export interface Meant {
  readonly endpoint: string
  readonly headers: RequestHeaders
  readonly body: Uint8Array
}

/** Headers that are part of the request's identity. */
const relevant = ["x-request-metadata", "x-request-start-timeout", "cancel-after"]

const head = ({ endpoint, headers }: Meant): string =>
  JSON.stringify(["POST", `/${endpoint}`, ...relevant.map((header) => headers[header] ?? null)])

const mark = "hmac."

/** HMAC-SHA-256 over the identifying parts, `head` first. Without the secret, the hash cannot test guesses of a body. */
export const hashOf = (secret: Buffer, head: string, body: string | Uint8Array): string =>
  mark + crypto.createHmac("sha256", secret).update(head).update(body).digest("base64url")

/** Over method, path, raw body, metadata and deadline headers. */
export const requestHash = (secret: Buffer, meant: Meant): string => hashOf(secret, head(meant), meant.body)

/** Whether `hash` is the request's in the form without a secret, which earlier releases stored for a day. */
export const isFormerHash = (hash: string, meant: Meant): boolean =>
  !hash.startsWith(mark) &&
  hash === crypto.createHash("sha256").update(head(meant)).update(meant.body).digest("base64url")
