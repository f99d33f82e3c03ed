/**
 * Events of one inference request. Their names and fields are the storage format: add cases or optional fields, never
 * rename. Every shape ever released has a fixture that is decoded in the tests.
 */
import { Schema } from "effect"
import * as EventCodec from "../EventCodec.ts"
import { AccountId, KeyId } from "../Ids.ts"
import { ModelEndpoint } from "../ModelEndpoint.ts"
import { NanoUsd, Quantity } from "../Money.ts"
import { PayloadRef } from "../PayloadRef.ts"
import { Quote } from "../Pricing.ts"
import { RetrySchedule } from "../RetrySchedule.ts"

/** Unix time in ms. */
const at = Schema.Int
/** Number of the run, from 1: each dispatch is a new one. */
const attempt = Schema.Int

export const WebhookEventName = Schema.Literals(["start", "completed"])
export type WebhookEventName = typeof WebhookEventName.Type

export const Webhook = Schema.Struct({
  url: Schema.String,
  events: Schema.Array(WebhookEventName),
  /** Whether the client named the events, so that the answer echoes no more than was sent. */
  filtered: Schema.Boolean
})
export type Webhook = typeof Webhook.Type

export const RequestSubmitted = Schema.TaggedStruct("RequestSubmitted", {
  at,
  accountId: AccountId,
  keyId: KeyId,
  model: ModelEndpoint,
  modelVersion: Schema.String,
  metadata: Schema.Record(Schema.String, Schema.String),
  webhook: Schema.optionalKey(Webhook),
  quote: Quote,
  retry: RetrySchedule,
  payloads: Schema.Struct({ input: PayloadRef })
})
export type RequestSubmitted = typeof RequestSubmitted.Type

/** The claim of one node on one run. */
export const DispatchStarted = Schema.TaggedStruct("DispatchStarted", {
  at,
  attempt,
  provider: Schema.String,
  /** The life of the process that claimed it: a restarted process is another node. */
  node: Schema.String
})

/** A provider that outlives us has taken the job: after a restart we re-attach by `jobId` instead of running twice. */
export const ProviderAccepted = Schema.TaggedStruct("ProviderAccepted", { at, attempt, jobId: Schema.String })

export const RequestStarted = Schema.TaggedStruct("RequestStarted", { at, attempt })

/** A sample of what the run reports; a provider may report more often than is recorded. */
export const ProgressReported = Schema.TaggedStruct("ProgressReported", {
  at,
  attempt,
  /** 0..1 */
  fraction: Schema.NullOr(Schema.Number),
  logs: Schema.Array(Schema.String)
})

export const OutputReceived = Schema.TaggedStruct("OutputReceived", {
  at,
  attempt,
  delivered: Quantity,
  payloads: Schema.Struct({ output: PayloadRef })
})

export const Violation = Schema.Struct({ instancePath: Schema.String, message: Schema.String })

export const OutputRejected = Schema.TaggedStruct("OutputRejected", {
  at,
  attempt,
  violations: Schema.Array(Violation)
})

export const BillingStatus = Schema.Literals(["charged", "partial", "failed"])
export type BillingStatus = typeof BillingStatus.Type

export const Billing = Schema.Struct({ status: BillingStatus, amount: NanoUsd, units: Quantity })
export type Billing = typeof Billing.Type

/** The end of a run that ran, with the one charge of a request. `error` is set when the provider reports a failed run. */
export const RequestCompleted = Schema.TaggedStruct("RequestCompleted", {
  at,
  attempt,
  billing: Billing,
  error: Schema.NullOr(Schema.String)
})

export const RequestFailed = Schema.TaggedStruct("RequestFailed", {
  at,
  attempt,
  reason: Schema.Literals(["refused", "transport_error", "lost"]),
  message: Schema.String
})

export const CancelRequested = Schema.TaggedStruct("CancelRequested", { at })

export const RequestCancelled = Schema.TaggedStruct("RequestCancelled", {
  at,
  reason: Schema.Literals(["requested", "expired"])
})

/** The run is over without an end of the request: it waits for its next one until `dueAt`. */
export const RequestRequeued = Schema.TaggedStruct("RequestRequeued", {
  at,
  attempt,
  reason: Schema.Literals(["transport_error", "rate_limited", "lost", "shutdown"]),
  message: Schema.NullOr(Schema.String),
  /** Unix time in ms. */
  dueAt: Schema.Int
})

/** A run ended after the request had; it changes nothing. */
export const LateOutcomeIgnored = Schema.TaggedStruct("LateOutcomeIgnored", {
  at,
  attempt,
  outcome: Schema.String
})

export const codec = EventCodec.make([
  RequestSubmitted,
  DispatchStarted,
  ProviderAccepted,
  RequestStarted,
  ProgressReported,
  OutputReceived,
  OutputRejected,
  RequestCompleted,
  RequestFailed,
  CancelRequested,
  RequestCancelled,
  RequestRequeued,
  LateOutcomeIgnored
])
export type Event = ReturnType<typeof codec.decode>
