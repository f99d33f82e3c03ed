import { InferlogError } from "./InferlogError.ts"
import type { WebhookEvent } from "./Wire.ts"

export type WebhookFault =
  | "missing_header"
  | "malformed_timestamp"
  | "too_old"
  | "too_new"
  | "malformed_secret"
  | "no_match"
  | "malformed_body"

/** The call is not one of the server's deliveries, or its secret is another one. Answer it with 400. */
export class WebhookVerificationError extends InferlogError {
  override readonly name: string = "WebhookVerificationError"
  readonly reason: WebhookFault

  constructor(reason: WebhookFault, detail = "") {
    super(`The webhook cannot be trusted: ${reason.replace("_", " ")} ${detail}`.trim())
    this.reason = reason
  }
}

type HeaderRecord = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

export interface VerifyOptions {
  /** The body as it came. JSON that was parsed and written again does not match. */
  readonly body: string | Uint8Array<ArrayBuffer> | ArrayBuffer
  /** Names in any case. */
  readonly headers: Headers | HeaderRecord
  /** `whsec_…`; several while a rotation is under way. */
  readonly secret: string | ReadonlyArray<string>
  /** The largest difference between the time of the delivery and now, in ms. Default: 300,000. */
  readonly tolerance?: number | undefined
  /** ms since 1970. */
  readonly now?: number | undefined
}

const headerOf = (headers: Headers | HeaderRecord, wanted: string): string => {
  // Not `instanceof`: frameworks bring classes of their own.
  const value =
    typeof headers.get === "function"
      ? headers.get(wanted)
      : Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1]
  const text = typeof value === "object" && value !== null ? value[0] : value
  if (!text) throw new WebhookVerificationError("missing_header", wanted)
  return text
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

const bytesOf = (text: string): Uint8Array<ArrayBuffer> | undefined =>
  text !== "" && base64.test(text)
    ? Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
    : undefined

const keyOf = (secret: string): Promise<CryptoKey> => {
  const bytes = bytesOf(secret.replace(/^whsec_/, "").trim())
  if (bytes === undefined) throw new WebhookVerificationError("malformed_secret")
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"])
}

const parsed = (body: string): WebhookEvent => {
  try {
    return JSON.parse(body) as WebhookEvent
  } catch {
    throw new WebhookVerificationError("malformed_body")
  }
}

/**
 * The event of a delivery that was signed with one of the secrets, within the tolerance. Compares in constant time
 * (https://github.com/standard-webhooks/standard-webhooks; docs/apps/webhooks.md). Rejects other calls with a `WebhookVerificationError`.
 */
export const verifyWebhook = async (options: VerifyOptions): Promise<WebhookEvent> => {
  const { headers, now = Date.now(), tolerance = 300_000 } = options
  const id = headerOf(headers, "webhook-id")
  const timestamp = headerOf(headers, "webhook-timestamp")
  const signature = headerOf(headers, "webhook-signature")
  // Twelve digits are milliseconds.
  if (!/^\d{1,11}$/.test(timestamp)) throw new WebhookVerificationError("malformed_timestamp")
  const age = Math.floor(now / 1_000) - Number(timestamp)
  if (Math.abs(age) * 1_000 > tolerance) {
    throw new WebhookVerificationError(age > 0 ? "too_old" : "too_new", `(${age} s)`)
  }
  const { body } = options
  if (typeof body !== "string" && !(body instanceof ArrayBuffer) && !ArrayBuffer.isView(body)) {
    throw new TypeError("body must be the text or bytes as they came")
  }
  const message = await new Blob([`${id}.${timestamp}.`, body]).arrayBuffer()
  for (const secret of typeof options.secret === "string" ? [options.secret] : options.secret) {
    const key = await keyOf(secret)
    for (const entry of signature.split(" ")) {
      const bytes = entry.startsWith("v1,") ? bytesOf(entry.slice(3)) : undefined
      if (bytes !== undefined && (await crypto.subtle.verify("HMAC", key, bytes, message))) {
        return parsed(await new Blob([body]).text())
      }
    }
  }
  throw new WebhookVerificationError("no_match")
}
