/** `Idempotency-Key` on submit (decisions, "Idempotency"), and what makes two submits the same request. */
import * as crypto from "node:crypto"
import { Result } from "effect"
import { invalid, issue, type Parsed } from "./Parsed.ts"
import type { RequestHeaders } from "./RequestHeaders.ts"

const name = "Idempotency-Key"

export const parse = (header: string | undefined): Parsed<string | null> => {
  if (header === undefined) return Result.succeed(null)
  return /^[\x20-\x7e]{1,255}$/.test(header)
    ? Result.succeed(header)
    : invalid(issue([name], "pattern", "must be 1 to 255 printable ASCII characters"))
}

/** Headers that change what a submit means. */
const relevant = ["x-request-metadata", "x-request-start-timeout", "cancel-after"]

/** SHA-256 over method, path, raw body, metadata and deadline headers, base64url. */
export const requestHash = (endpoint: string, headers: RequestHeaders, body: Uint8Array): string =>
  crypto
    .createHash("sha256")
    .update(JSON.stringify(["POST", `/${endpoint}`, ...relevant.map((header) => headers[header] ?? null)]))
    .update(body)
    .digest("base64url")
