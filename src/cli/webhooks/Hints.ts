/** Hints for failed checks. */
import { Result } from "effect"
import * as StandardWebhooks from "#src/features/webhooks/StandardWebhooks.ts"
import * as BodyChanges from "./BodyChanges.ts"
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
      return "Save the request with all its headers, before a proxy or a framework drops some."
    case "webhook-id":
      return "The service sends ids without a full stop. This one is somebody else's, or was changed."
    case "webhook-timestamp":
      return /^\d{12,}$/.test(request.timestamp ?? "")
        ? "These are milliseconds. The header has seconds."
        : "Leave the header as it came: no date, no fraction, nothing around it."
    case "tolerance":
      return `Is a clock wrong? A request that was saved is judged as of its own time with --at ${request.timestamp}.`
    case "secret":
      return "Give the whole `key` of GET /webhooks/default/secret, which is no API key."
    case "webhook-signature":
      return "The header is a list of v1,<base64>, separated by spaces."
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
  const change = BodyChanges.likely(body, contentLength).find((change) =>
    StandardWebhooks.isSigned(key.success, { id, timestamp, body: change.body }, signature)
  )
  if (change !== undefined) {
    return `The body matches ${change.undone}. Verify its bytes as they came, before anything else reads them.`
  }
  return [
    "The secret is another account's, or has expired: it signs for 24 h after a rotation.",
    contentLength === null || contentLength === body.length
      ? "Or the body is not, byte for byte, what was sent. Newlines, a byte order mark and rewritten JSON were tried."
      : `Or the body is not what was sent: it has ${body.length} bytes, its content-length says ${contentLength}.`
  ]
}
