/**
 * Events of one webhook delivery. Their names and fields are the storage format: add cases or optional fields, never
 * rename. Every shape ever released has a fixture that is decoded in the tests.
 */
import { Schema } from "effect"
import * as EventCodec from "../EventCodec.ts"
import { AccountId, RequestId } from "../Ids.ts"
import { WebhookEventName } from "../inference-request/Event.ts"
import { PayloadRef } from "../PayloadRef.ts"

/** Unix time in ms. */
const at = Schema.Int
/** Number of the attempt, from 1; replays count on. */
const attempt = Schema.Int

/** Why an attempt failed (decisions, "lastError"): never a host, an address or a text of the receiver's. */
export const AttemptError = Schema.Union([
  Schema.Literals([
    "timeout",
    "connection_failed",
    "tls_error",
    "redirect_refused",
    "gone",
    "private_address",
    // Of events that an earlier version wrote: now a 2xx is a success, whatever its body.
    "response_too_large",
    "dns_error"
  ]),
  Schema.TemplateLiteral(["http_", Schema.Int])
])
export type AttemptError = typeof AttemptError.Type

/** To be sent from now on. The body is frozen here: every attempt sends the same bytes. */
export const DeliveryScheduled = Schema.TaggedStruct("DeliveryScheduled", {
  at,
  accountId: AccountId,
  requestId: RequestId,
  event: WebhookEventName,
  url: Schema.String,
  payloads: Schema.Struct({ body: PayloadRef })
})
export type DeliveryScheduled = typeof DeliveryScheduled.Type

/** Recorded before anything is sent: a crash loop cannot send more often than is allowed. `node` is at it. */
export const AttemptStarted = Schema.TaggedStruct("AttemptStarted", { at, attempt, node: Schema.String })

export const AttemptSucceeded = Schema.TaggedStruct("AttemptSucceeded", {
  at,
  attempt,
  responseStatus: Schema.Int,
  durationMs: Schema.Int
})

/** `nextAttemptAt` is `null` when no further one follows by itself. */
export const AttemptFailed = Schema.TaggedStruct("AttemptFailed", {
  at,
  attempt,
  /** `null` when the receiver gave none. */
  responseStatus: Schema.NullOr(Schema.Int),
  error: AttemptError,
  durationMs: Schema.Int,
  nextAttemptAt: Schema.NullOr(Schema.Int)
})

/** The node that was at it is gone, or stopped. Whether the receiver has got it nobody knows. */
export const AttemptLost = Schema.TaggedStruct("AttemptLost", {
  at,
  attempt,
  nextAttemptAt: Schema.NullOr(Schema.Int)
})

/** Nothing more is sent by itself: the attempts are used up, it made no sense to go on, or there is nothing to send. */
export const DeliveryFailed = Schema.TaggedStruct("DeliveryFailed", {
  at,
  reason: Schema.Literals(["exhausted", "gone", "private_address", "erased", "body_damaged"])
})
export type FailureReason = (typeof DeliveryFailed.fields.reason)["Type"]

/** To be sent again, now, with a fresh number of attempts. */
export const ReplayRequested = Schema.TaggedStruct("ReplayRequested", {
  at,
  /** The recovery that wants it; absent when somebody asked for this one delivery. */
  recoveryId: Schema.optionalKey(Schema.String)
})

/** What the request carried was erased, and the frozen body with it. */
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
