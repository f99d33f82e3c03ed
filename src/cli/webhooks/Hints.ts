import { Option, Result } from "effect"
import * as StandardWebhooks from "#src/features/webhooks/StandardWebhooks.ts"
import type { SavedRequest } from "./SavedRequest.ts"

export const of = (
  checks: ReadonlyArray<StandardWebhooks.Check>,
  request: SavedRequest,
  secret: string
): ReadonlyArray<string> =>
  checks.flatMap(({ name, outcome }) => (outcome === "failed" ? hint(name, request, secret) : []))

const hint = (
  name: StandardWebhooks.Check["name"],
  request: SavedRequest,
  secret: string
): string | ReadonlyArray<string> => {
  switch (name) {
    case "headers":
      return "Save the request with all its headers, before a proxy or a framework removes some."
    case "webhook-id":
      return "The service sends ids without a full stop. This id was changed, or comes from another service."
    case "webhook-timestamp":
      return /^\d{12,}$/.test(request.timestamp ?? "")
        ? "The header must be in seconds. This value is in milliseconds."
        : "Use the header exactly as received: whole Unix seconds, without other characters."
    case "tolerance":
      return `Check the clock. To check a saved request as of its own time, add --at ${request.timestamp}.`
    case "secret":
      return "Use the whole `key` of GET /webhooks/default/secret. An API key is not a signing secret."
    case "webhook-signature":
      return "The header must be a list of v1,<base64>, separated by spaces."
    case "match":
      return explainMismatch(request, secret)
  }
}

const explainMismatch = (
  { body, contentLength, id, signature, timestamp }: SavedRequest,
  secret: string
): string | ReadonlyArray<string> => {
  const key = StandardWebhooks.secretBytes(secret)
  if (Result.isFailure(key) || id === null || timestamp === null || signature === null) return []
  const change = likelyChanges(body, contentLength).find(([, original]) =>
    StandardWebhooks.isSigned(key.success, { id, timestamp, body: original }, signature)
  )
  if (change !== undefined) {
    return `The body matches ${change[0]}. Verify the bytes exactly as received, before any parsing.`
  }
  return [
    "The secret may be another account's, or has expired: a rotated secret signs for 24 h.",
    contentLength === null || contentLength === body.length
      ? "Or the body differs from the body that was sent, byte for byte. Undoing changes of newlines, a byte order mark and JSON formatting did not help."
      : `Or the body differs from the body that was sent: it has ${body.length} bytes, and its content-length says ${contentLength}.`
  ]
}

const latin1 = (body: Uint8Array) => Buffer.from(body).toString("latin1")
const bytes = (text: string) => Buffer.from(text, "latin1")

const withoutLastNewline = (body: Uint8Array) => bytes(latin1(body).replace(/\r?\n$/, ""))
const withLineFeeds = (body: Uint8Array) => bytes(latin1(body).replaceAll("\r\n", "\n"))
const withoutMark = (body: Uint8Array) => bytes(latin1(body).replace(/^\u00ef\u00bb\u00bf/, ""))

const parseJson = Option.liftThrowable((text: string): unknown => JSON.parse(text))

const compact = (body: Uint8Array): Uint8Array =>
  Option.match(parseJson(Buffer.from(body).toString()), {
    onNone: () => body,
    onSome: (value) => Buffer.from(JSON.stringify(value))
  })

/** The bodies before each frequent change between the wire and the verifier, with a description. */
const likelyChanges = (body: Uint8Array, contentLength: number | null) => {
  const cut = contentLength !== null && contentLength < body.length ? body.subarray(0, contentLength) : body
  const originals: ReadonlyArray<readonly [string, Uint8Array]> = [
    ["without the newline at its end", withoutLastNewline(body)],
    ["with LF for each CRLF", withLineFeeds(body)],
    ["with LF for each CRLF and without the newline at its end", withoutLastNewline(withLineFeeds(body))],
    ["without the byte order mark at its beginning", withoutMark(body)],
    ["as compact JSON: it was parsed and serialized again", compact(body)],
    [`when it ends after the ${contentLength} bytes of its content-length`, cut]
  ]
  return originals.filter(([, original]) => !Buffer.from(original).equals(body))
}
