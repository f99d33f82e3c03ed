/** Errors of outbound calls. Each is one word of a fixed vocabulary and contains no address, host or cause. */
import { Schema } from "effect"

/** Why a URL may never be called. `private_address` also stands for our own listeners. */
export const RefusalReason = Schema.Literals([
  "too_long",
  "malformed",
  "not_https",
  "credentials",
  "forbidden_port",
  "forbidden_host",
  "private_address"
])
export type RefusalReason = typeof RefusalReason.Type

/** The URL or an address behind it is refused permanently: do not retry. */
export class OutboundRefused extends Schema.TaggedError<OutboundRefused>()("OutboundRefused", {
  reason: RefusalReason
}) {
  override get message() {
    return `Outbound target refused: ${this.reason}`
  }
}

/** The host name has no address, or its resolution failed or took too long. A retry may succeed. */
export class OutboundUnresolved extends Schema.TaggedError<OutboundUnresolved>()("OutboundUnresolved", {}) {
  override get message() {
    return "Outbound host name could not be resolved"
  }
}

export const FailureReason = Schema.Union([
  Schema.Literals(["timeout", "connection_failed", "tls_error", "dns_error", "redirect_refused"]),
  Schema.TemplateLiteral(["http_", Schema.Int])
])
export type FailureReason = typeof FailureReason.Type

/** The call was allowed and failed. `reason` is a value of a delivery's `lastError`. */
export class OutboundError extends Schema.TaggedError<OutboundError>()("OutboundError", {
  reason: FailureReason
}) {
  override get message() {
    return `Outbound call failed: ${this.reason}`
  }
}

/** The download is larger than the caller accepts, as announced or as received. */
export class OutboundTooLarge extends Schema.TaggedError<OutboundTooLarge>()("OutboundTooLarge", {}) {
  override get message() {
    return "The outbound download exceeds the size limit"
  }
}
