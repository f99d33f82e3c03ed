/** A saved HTTP request: an optional request line, headers, an empty line, and the unchanged body. */
import { Result } from "effect"
import type { Received } from "#src/features/webhooks/StandardWebhooks.ts"

export interface SavedRequest extends Received {
  /** `content-length` of the request; `null` without one. */
  readonly contentLength: number | null
}

const requestLine = /^[A-Z]+ \S+ HTTP\/\d(?:\.\d)?$/
/** Includes pseudo headers of HTTP/2. */
const headerLine = /^(:?[\w!#$%&'*+.^`|~-]+):[ \t]*(.*?)[ \t]*$/

const byteOrderMark = "\u00ef\u00bb\u00bf"

/** Lines end with CRLF or LF. All bytes after the first empty line are the body. Fails with the reason. */
export const parse = (bytes: Uint8Array): Result.Result<SavedRequest, string> => {
  // A character is a byte.
  const text = Buffer.from(bytes).toString("latin1")
  const end = /\r?\n\r?\n/.exec(text)
  if (end === null) return Result.fail("Expected an empty line between headers and body")
  const [first = "", ...others] = text.slice(0, end.index).replace(byteOrderMark, "").split(/\r?\n/)
  const headers = new Map<string, string>()
  for (const line of requestLine.test(first) ? others : [first, ...others]) {
    const [, name, value = ""] = headerLine.exec(line) ?? []
    if (name === undefined) return Result.fail("Expected 'name: value' in every line before the empty one")
    const before = headers.get(name.toLowerCase())
    // RFC 9110, 5.3
    headers.set(name.toLowerCase(), before === undefined ? value : `${before}, ${value}`)
  }
  const contentLength = headers.get("content-length") ?? ""
  return Result.succeed({
    id: headers.get("webhook-id") ?? null,
    timestamp: headers.get("webhook-timestamp") ?? null,
    signature: headers.get("webhook-signature") ?? null,
    body: bytes.subarray(end.index + end[0].length),
    contentLength: /^\d{1,15}$/.test(contentLength) ? Number(contentLength) : null
  })
}
