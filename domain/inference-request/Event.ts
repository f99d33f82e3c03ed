/**
 * Events of one inference request. Names and fields are the storage format: add cases or optional fields, never rename.
 * Tests decode a fixture of every shape ever released.
 */
import { Schema } from "effect"
import * as EventCodec from "../EventCodec.ts"
import { AccountId, KeyId } from "../Ids.ts"
import { ModelEndpoint } from "../ModelEndpoint.ts"
import { NanoUsd, Quantity } from "../Money.ts"
import { PayloadRef } from "../PayloadRef.ts"
import { Quote } from "../Pricing.ts"
import { RetrySchedule } from "../RetrySchedule.ts"
import { UpstreamError } from "../UpstreamError.ts"
import * as WallTime from "./WallTime.ts"

const times = WallTime.fields
/** Number of the run, from 1. Each dispatch starts a new one. */
const attempt = Schema.Int

export const WebhookEventName = Schema.Literals(["start", "completed"])
export type WebhookEventName = typeof WebhookEventName.Type

export const Webhook = Schema.Struct({
  url: Schema.String,
  events: Schema.Array(WebhookEventName),
  /** Whether the client named the events. Answers echo only what was sent. */
  filtered: Schema.Boolean
})
export type Webhook = typeof Webhook.Type

/** When the request expires (decisions, "Deadlines"), Unix time in ms. */
export const Deadlines = Schema.Struct({
  /** The request expires if it has not started by then. */
  startBy: Schema.optionalKey(Schema.Int),
  /** The request expires if it has not ended by then. */
  endBy: Schema.optionalKey(Schema.Int)
})
export type Deadlines = typeof Deadlines.Type

export const RequestSubmitted = Schema.TaggedStruct("RequestSubmitted", {
  ...times,
  accountId: AccountId,
  keyId: KeyId,
  /** The id of the token that submitted it, or of its user (`POST /keys/tokens`). Absent when the key itself did. */
  token: Schema.optionalKey(Schema.String),
  model: ModelEndpoint,
  modelVersion: Schema.String,
  metadata: Schema.Record(Schema.String, Schema.String),
  webhook: Schema.optionalKey(Webhook),
  deadlines: Schema.optionalKey(Deadlines),
  /** How long a run of the model usually takes, ms. */
  expectedMs: Schema.optionalKey(Schema.Int),
  quote: Quote,
  retry: RetrySchedule,
  /** The approximate memory of the input's values in addition to its text, bytes. Only recorded for large inputs. */
  inputMemory: Schema.optionalKey(Schema.Int),
  payloads: Schema.Struct({ input: PayloadRef })
})
export type RequestSubmitted = typeof RequestSubmitted.Type

/** A node claims a run. */
export const DispatchStarted = Schema.TaggedStruct("DispatchStarted", {
  ...times,
  attempt,
  provider: Schema.String,
  /** The node that claimed it. A restarted process is another node. */
  node: Schema.String
})

/**
 * A provider accepted the job under `jobId`. After a restart, the server follows that job instead of running the request
 * twice.
 */
export const ProviderAccepted = Schema.TaggedStruct("ProviderAccepted", {
  ...times,
  attempt,
  jobId: Schema.String
})

/** The node of the run is gone, and `node` follows the provider's job from now on. */
export const RunTakenOver = Schema.TaggedStruct("RunTakenOver", { ...times, attempt, node: Schema.String })

export const RequestStarted = Schema.TaggedStruct("RequestStarted", { ...times, attempt })

/** A sample of the run's reports. A provider may report more often than is recorded. */
export const ProgressReported = Schema.TaggedStruct("ProgressReported", {
  ...times,
  attempt,
  /** 0 to 1. */
  fraction: Schema.NullOr(Schema.Number),
  logs: Schema.Array(Schema.String)
})

/**
 * A file that the output names, and the ids of its copy and its thumbnail. With fixed ids, storing it again overwrites the
 * copy.
 */
export const MediaPlan = Schema.Struct({
  /** JSON pointer into the output. */
  path: Schema.String,
  fileId: Schema.String,
  thumbnailId: Schema.String
})
export type MediaPlan = typeof MediaPlan.Type

/** The run is over. The request completes in the same append, unless files in `media` must be stored first. */
export const OutputReceived = Schema.TaggedStruct("OutputReceived", {
  ...times,
  attempt,
  delivered: Quantity,
  media: Schema.optionalKey(Schema.Array(MediaPlan)),
  /** A cancel stopped the run: the output is what it had made by then. */
  cut: Schema.optionalKey(Schema.Literal(true)),
  payloads: Schema.Struct({ output: PayloadRef })
})

export const StoredMedia = Schema.Struct({
  /** JSON pointer into the output. */
  path: Schema.String,
  fileId: Schema.String,
  fileName: Schema.String,
  contentType: Schema.String,
  /** Bytes. */
  size: Schema.Int,
  thumbnailId: Schema.NullOr(Schema.String),
  /** Whether the file belongs to this request and is erased with its payloads. */
  owned: Schema.Boolean
})
export type StoredMedia = typeof StoredMedia.Type

/** The files of the output are stored. `result` is the output with their URLs, if it had other URLs. */
export const MediaStored = Schema.TaggedStruct("MediaStored", {
  ...times,
  attempt,
  media: Schema.Array(StoredMedia),
  payloads: Schema.optionalKey(Schema.Struct({ result: PayloadRef }))
})

export const Violation = Schema.Struct({ instancePath: Schema.String, message: Schema.String })

export const OutputRejected = Schema.TaggedStruct("OutputRejected", {
  ...times,
  attempt,
  violations: Schema.Array(Violation)
})

export const BillingStatus = Schema.Literals(["charged", "partial", "failed"])
export type BillingStatus = typeof BillingStatus.Type

export const Billing = Schema.Struct({ status: BillingStatus, amount: NanoUsd, units: Quantity })
export type Billing = typeof Billing.Type

/** The run finished. `billing` is the only charge of a request. `error` is set when the provider reports a failed run. */
export const RequestCompleted = Schema.TaggedStruct("RequestCompleted", {
  ...times,
  attempt,
  billing: Billing,
  error: Schema.NullOr(Schema.String),
  /** What the provider says of the error besides its message. */
  upstream: Schema.optionalKey(UpstreamError)
})

export const RequestFailed = Schema.TaggedStruct("RequestFailed", {
  ...times,
  attempt,
  reason: Schema.Literals(["refused", "transport_error", "lost", "media_missing"]),
  message: Schema.String,
  upstream: Schema.optionalKey(UpstreamError)
})

/** The sweep found that the run is gone or that files of its output are missing. It is retried from `dueAt` on. */
export const SweepRetried = Schema.TaggedStruct("SweepRetried", {
  ...times,
  attempt,
  reason: Schema.Literals(["lost", "media_missing"]),
  /** The fault of the host of a missing file. Absent when the server's own storage failed. Now always `unreachable`. */
  host: Schema.optionalKey(Schema.Literals(["not_given", "unreachable"])),
  /** The number of sweep retries, this one included. */
  retry: Schema.Int,
  /** Unix time in ms. */
  dueAt: Schema.Int
})

/** The sweep failed the request permanently. Its hold is released. */
export const RequestForceFailed = Schema.TaggedStruct("RequestForceFailed", {
  ...times,
  attempt,
  retries: Schema.Int,
  message: Schema.String
})

export const CancelRequested = Schema.TaggedStruct("CancelRequested", times)

export const RequestCancelled = Schema.TaggedStruct("RequestCancelled", {
  ...times,
  reason: Schema.Literals(["requested", "expired"]),
  /** Set when the limit that passed is not a deadline of the request but the time that its model allows for waiting. */
  limit: Schema.optionalKey(Schema.Literal("queue_timeout"))
})

/** The run is over and the request has not ended. It is due for its next run at `dueAt`. */
export const RequestRequeued = Schema.TaggedStruct("RequestRequeued", {
  ...times,
  attempt,
  /** `unreachable`: the provider never received the run. */
  reason: Schema.Literals(["transport_error", "rate_limited", "lost", "shutdown", "unreachable"]),
  message: Schema.NullOr(Schema.String),
  /** The number of crashes in a row during runs of the request, this one included. Absent when this was no crash. */
  crashes: Schema.optionalKey(Schema.Int),
  upstream: Schema.optionalKey(UpstreamError),
  /** Unix time in ms. */
  dueAt: Schema.Int
})

/** A run ended after the request. It changes nothing. */
export const LateOutcomeIgnored = Schema.TaggedStruct("LateOutcomeIgnored", {
  ...times,
  attempt,
  outcome: Schema.String
})

export const ErasureReason = Schema.Literals(["requested", "expired", "account"])
export type ErasureReason = typeof ErasureReason.Type

/** The tombstone of the payloads, whose records are erased in the same commit (`streams/Tombstone`). */
export const PayloadsErased = Schema.TaggedStruct("PayloadsErased", {
  ...times,
  reason: ErasureReason,
  /** Names of the payloads. */
  erased: Schema.Array(Schema.String),
  /** Whether data outside the log remains to be removed. */
  hasFiles: Schema.Boolean
})

/** All data of the payloads is removed, also from the blob store. */
export const ErasedFilesRemoved = Schema.TaggedStruct("ErasedFilesRemoved", times)

const plain = EventCodec.make([
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
  LateOutcomeIgnored,
  MediaStored,
  SweepRetried,
  RequestForceFailed,
  PayloadsErased,
  ErasedFilesRemoved,
  RunTakenOver
])
export type Event = ReturnType<typeof plain.decode>
export const codec = WallTime.codec<Event>(plain)
