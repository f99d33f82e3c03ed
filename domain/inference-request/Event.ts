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
import * as WallTime from "./WallTime.ts"

const times = WallTime.fields
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

/** When the client no longer wants it (decisions, "Deadlines"), Unix time in ms. */
export const Deadlines = Schema.Struct({
  /** It must have started by then. */
  startBy: Schema.optionalKey(Schema.Int),
  /** It must have ended by then. */
  endBy: Schema.optionalKey(Schema.Int)
})
export type Deadlines = typeof Deadlines.Type

export const RequestSubmitted = Schema.TaggedStruct("RequestSubmitted", {
  ...times,
  accountId: AccountId,
  keyId: KeyId,
  model: ModelEndpoint,
  modelVersion: Schema.String,
  metadata: Schema.Record(Schema.String, Schema.String),
  webhook: Schema.optionalKey(Webhook),
  deadlines: Schema.optionalKey(Deadlines),
  /** How long a run of the model usually takes, ms. */
  expectedMs: Schema.optionalKey(Schema.Int),
  quote: Quote,
  retry: RetrySchedule,
  /** About how much memory the values of the input take beside their text, bytes. Told of those that take much. */
  inputMemory: Schema.optionalKey(Schema.Int),
  payloads: Schema.Struct({ input: PayloadRef })
})
export type RequestSubmitted = typeof RequestSubmitted.Type

/** The claim of one node on one run. */
export const DispatchStarted = Schema.TaggedStruct("DispatchStarted", {
  ...times,
  attempt,
  provider: Schema.String,
  /** The life of the process that claimed it: a restarted process is another node. */
  node: Schema.String
})

/** A provider that outlives us has taken the job: after a restart we re-attach by `jobId` instead of running twice. */
export const ProviderAccepted = Schema.TaggedStruct("ProviderAccepted", {
  ...times,
  attempt,
  jobId: Schema.String
})

/** The node that had the run is gone: `node` follows the provider's job from now on. */
export const RunTakenOver = Schema.TaggedStruct("RunTakenOver", { ...times, attempt, node: Schema.String })

export const RequestStarted = Schema.TaggedStruct("RequestStarted", { ...times, attempt })

/** A sample of what the run reports; a provider may report more often than is recorded. */
export const ProgressReported = Schema.TaggedStruct("ProgressReported", {
  ...times,
  attempt,
  /** 0..1 */
  fraction: Schema.NullOr(Schema.Number),
  logs: Schema.Array(Schema.String)
})

/** A file that the output names, and the ids that its copy and its thumbnail will have: stored twice it is stored once. */
export const MediaPlan = Schema.Struct({
  /** JSON pointer into the output. */
  path: Schema.String,
  fileId: Schema.String,
  thumbnailId: Schema.String
})
export type MediaPlan = typeof MediaPlan.Type

/** The run is over. Settled in the same append, unless the output names `media` that have to be stored first. */
export const OutputReceived = Schema.TaggedStruct("OutputReceived", {
  ...times,
  attempt,
  delivered: Quantity,
  media: Schema.optionalKey(Schema.Array(MediaPlan)),
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
  /** Whether the file was made for this request, and goes with its payloads. */
  owned: Schema.Boolean
})
export type StoredMedia = typeof StoredMedia.Type

/** The files of the output are ours. `result` is the output with their URLs in place, when it had others. */
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

/** The end of a run that ran, with the one charge of a request. `error` is set when the provider reports a failed run. */
export const RequestCompleted = Schema.TaggedStruct("RequestCompleted", {
  ...times,
  attempt,
  billing: Billing,
  error: Schema.NullOr(Schema.String)
})

export const RequestFailed = Schema.TaggedStruct("RequestFailed", {
  ...times,
  attempt,
  reason: Schema.Literals(["refused", "transport_error", "lost", "media_missing"]),
  message: Schema.String
})

/** The sweep found its run gone, or its output's files not stored: it is tried again from `dueAt` on. */
export const SweepRetried = Schema.TaggedStruct("SweepRetried", {
  ...times,
  attempt,
  reason: Schema.Literals(["lost", "media_missing"]),
  /** Of a file that its host did not give; absent where our own storage was at fault. */
  host: Schema.optionalKey(Schema.Literals(["not_given", "unreachable"])),
  /** How many retries of the sweep there are with this one. */
  retry: Schema.Int,
  /** Unix time in ms. */
  dueAt: Schema.Int
})

/** The sweep gave up: permanent, and what was held for it is given back. */
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
  /** Which limit has passed that is not one of the request's own deadlines: the time that its model lets requests wait. */
  limit: Schema.optionalKey(Schema.Literal("queue_timeout"))
})

/** The run is over without an end of the request: it waits for its next one until `dueAt`. */
export const RequestRequeued = Schema.TaggedStruct("RequestRequeued", {
  ...times,
  attempt,
  /** `unreachable`: the provider was never handed the run. */
  reason: Schema.Literals(["transport_error", "rate_limited", "lost", "shutdown", "unreachable"]),
  message: Schema.NullOr(Schema.String),
  /** At how many crashes in a row a run of the request was under way, this one included; absent when none was. */
  crashes: Schema.optionalKey(Schema.Int),
  /** Unix time in ms. */
  dueAt: Schema.Int
})

/** A run ended after the request had; it changes nothing. */
export const LateOutcomeIgnored = Schema.TaggedStruct("LateOutcomeIgnored", {
  ...times,
  attempt,
  outcome: Schema.String
})

export const ErasureReason = Schema.Literals(["requested", "expired", "account"])
export type ErasureReason = typeof ErasureReason.Type

/** The tombstone of its payloads, whose records go in the same commit (`streams/Tombstone`). */
export const PayloadsErased = Schema.TaggedStruct("PayloadsErased", {
  ...times,
  reason: ErasureReason,
  /** Names of the payloads. */
  erased: Schema.Array(Schema.String),
  /** Whether files outside the log have to be removed yet. */
  hasFiles: Schema.Boolean
})

/** Nothing is left of the payloads, in the blob store either. */
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
