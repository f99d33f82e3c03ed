/**
 * Events of one webhook delivery. Names and fields are the storage format: add cases or optional fields, never rename. Tests
 * decode a fixture of every shape ever released.
 */
import { Schema } from "effect"
import * as EventCodec from "../EventCodec.ts"
import { AccountId, RequestId } from "../Ids.ts"
import { WebhookEventName } from "../inference-request/Event.ts"
import { PayloadRef } from "../PayloadRef.ts"

/** Unix time in ms. */
const at = Schema.Int
/** Number of the attempt, from 1. Replays continue the count. */
const attempt = Schema.Int

/** Why an attempt failed (decisions, "lastError"). Never contains a host, an address or text of the receiver. */
export const AttemptError = Schema.Union([
  Schema.Literals([
    "timeout",
    "connection_failed",
    "tls_error",
    "redirect_refused",
    "gone",
    "private_address",
    // Only in events of older releases. Now any 2xx is a success, whatever its body.
    "response_too_large",
    "dns_error"
  ]),
  Schema.TemplateLiteral(["http_", Schema.Int])
])
export type AttemptError = typeof AttemptError.Type

/** What the receiver answered with the attempt: a payload whose name has the attempt's number. Absent when nothing is kept. */
const payloads = Schema.optionalKey(Schema.Record(Schema.String, PayloadRef))

/** The delivery is due. The body is fixed here: every attempt sends the same bytes. */
export const DeliveryScheduled = Schema.TaggedStruct("DeliveryScheduled", {
  at,
  accountId: AccountId,
  requestId: RequestId,
  event: WebhookEventName,
  url: Schema.String,
  payloads: Schema.Struct({ body: PayloadRef })
})
export type DeliveryScheduled = typeof DeliveryScheduled.Type

/** Recorded before `node` sends anything, so that a crash loop cannot send more often than the schedule allows. */
export const AttemptStarted = Schema.TaggedStruct("AttemptStarted", { at, attempt, node: Schema.String })

export const AttemptSucceeded = Schema.TaggedStruct("AttemptSucceeded", {
  at,
  attempt,
  responseStatus: Schema.Int,
  durationMs: Schema.Int,
  payloads
})

/** `nextAttemptAt` is `null` when no automatic attempt follows. */
export const AttemptFailed = Schema.TaggedStruct("AttemptFailed", {
  at,
  attempt,
  /** `null` when there was no response. */
  responseStatus: Schema.NullOr(Schema.Int),
  error: AttemptError,
  durationMs: Schema.Int,
  nextAttemptAt: Schema.NullOr(Schema.Int),
  payloads
})

/** The node of the attempt is gone or stopped. It is unknown whether the receiver got the delivery. */
export const AttemptLost = Schema.TaggedStruct("AttemptLost", {
  at,
  attempt,
  nextAttemptAt: Schema.NullOr(Schema.Int)
})

/** No automatic attempt follows: the attempts are used up, the receiver must not be sent more, or the body is gone. */
export const DeliveryFailed = Schema.TaggedStruct("DeliveryFailed", {
  at,
  reason: Schema.Literals(["exhausted", "gone", "private_address", "erased", "body_damaged"])
})
export type FailureReason = (typeof DeliveryFailed.fields.reason)["Type"]

/** The delivery is due again, with a new schedule. */
export const ReplayRequested = Schema.TaggedStruct("ReplayRequested", {
  at,
  /** The recovery that replays it. Absent when a client replayed this delivery alone. */
  recoveryId: Schema.optionalKey(Schema.String)
})

/** The request's data was erased, and with it this body and the answers of its receiver. */
export const PayloadsErased = Schema.TaggedStruct("PayloadsErased", {
  at,
  erased: Schema.Array(Schema.String)
})

export const codec = EventCodec.make([
  DeliveryScheduled,
  AttemptStarted,
  AttemptSucceeded,
  AttemptFailed,
  AttemptLost,
  DeliveryFailed,
  ReplayRequested,
  PayloadsErased
])
export type Event = ReturnType<typeof codec.decode>
