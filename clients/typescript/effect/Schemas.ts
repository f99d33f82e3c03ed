/** What the public API takes and answers. Written by `npm run docs` from the server's declarations. */
import { Schema } from "effect"

export const Status = Schema.Literals(["IN_QUEUE", "IN_PROGRESS", "COMPLETED", "FAILED", "CANCELLED"]).annotate({ identifier: "Status" })
export type Status = typeof Status.Type

export const Outcome = Schema.Literals(["pending", "succeeded", "partial", "invalid_output", "provider_failed", "failed", "cancelled", "expired"]).annotate({ identifier: "Outcome" })
export type Outcome = typeof Outcome.Type

export const BillingStatus = Schema.Literals(["charged", "partial", "failed"]).annotate({ identifier: "BillingStatus" })
export type BillingStatus = typeof BillingStatus.Type

export const WaitingFor = Schema.Literals(["provider_down", "worker", "credentials"]).annotate({ identifier: "WaitingFor" })
export type WaitingFor = typeof WaitingFor.Type

export const StreamKind = Schema.Literals(["text", "items", "last", "openai"]).annotate({ identifier: "StreamKind" })
export type StreamKind = typeof StreamKind.Type

export const Category = Schema.Literals(["image", "video", "audio", "text", "utility"]).annotate({ identifier: "Category" })
export type Category = typeof Category.Type

export const Unit = Schema.Literals(["request", "image", "megapixel", "second", "1k_characters", "1k_tokens", "gpu_second"]).annotate({ identifier: "Unit" })
export type Unit = typeof Unit.Type

export const Scope = Schema.Literals(["requests:write", "requests:read", "files:write", "files:read", "webhooks:read", "webhooks:write", "billing:read", "keys:admin"]).annotate({ identifier: "Scope" })
export type Scope = typeof Scope.Type

export const TimelineEventType = Schema.Literals(["AttemptFailed", "AttemptLost", "AttemptStarted", "AttemptSucceeded", "CancelRequested", "DeliveryFailed", "DeliveryScheduled", "DispatchStarted", "ErasedFilesRemoved", "LateOutcomeIgnored", "MediaStored", "OutputReceived", "OutputRejected", "PayloadsErased", "ProgressReported", "ProviderAccepted", "ReplayRequested", "RequestCancelled", "RequestCompleted", "RequestFailed", "RequestForceFailed", "RequestRequeued", "RequestStarted", "RequestSubmitted", "RunTakenOver", "SweepRetried"]).annotate({ identifier: "TimelineEventType" })
export type TimelineEventType = typeof TimelineEventType.Type

export const WebhookEventName = Schema.Literals(["start", "completed"]).annotate({ identifier: "WebhookEventName" })
export type WebhookEventName = typeof WebhookEventName.Type

export const DeliveryStatus = Schema.Literals(["pending", "delivering", "delivered", "failed"]).annotate({ identifier: "DeliveryStatus" })
export type DeliveryStatus = typeof DeliveryStatus.Type

/** The model's input, and two reserved fields that the model does not see. */
export const SubmitBody = Schema.StructWithRest(Schema.Struct({
  /** HTTPS URL that gets the events, at most 2048 characters. */
  webhook: Schema.optionalKey(Schema.String),
  /** Events to send; by default `["completed"]`. */
  webhook_events_filter: Schema.optionalKey(Schema.Array(WebhookEventName))
}), [Schema.Record(Schema.String, Schema.Json)]).annotate({ identifier: "SubmitBody" })
export type SubmitBody = typeof SubmitBody.Type

export const Expected = Schema.Struct({
  /** Median of recent runs, from start to end; null without enough runs. */
  p50Seconds: Schema.NullOr(Schema.Finite),
  /** 90th percentile of recent runs; null without enough runs. */
  p90Seconds: Schema.NullOr(Schema.Finite),
  /** Recent runs behind these figures; 0 without enough. */
  samples: Schema.Int,
  /**
   * The likely wait of a request submitted now; null while no run can begin: the provider cannot be
   * reached, or no worker asks for jobs of the model.
   */
  waitSeconds: Schema.NullOr(Schema.Finite)
}).annotate({ identifier: "Expected" })
export type Expected = typeof Expected.Type

export const RunMetrics = Schema.Struct({
  /** Seconds that the run took; whole seconds so far while it runs. */
  inference_time: Schema.optionalKey(Schema.Finite),
  /** Expected seconds of a run when the request was accepted; only until it has ended. */
  expected_time: Schema.optionalKey(Schema.Finite)
}).annotate({ identifier: "RunMetrics" })
export type RunMetrics = typeof RunMetrics.Type

/** Accepted. */
export const CreatedRequest = Schema.Struct({
  status: Schema.Literal("IN_QUEUE"),
  /** 21 characters. */
  request_id: Schema.String,
  /** The result, once `COMPLETED`. */
  response_url: Schema.String,
  status_url: Schema.String,
  /** Cancelled with GET. */
  cancel_url: Schema.String,
  metrics: Schema.optionalKey(RunMetrics),
  /** Completed share of the run, 0 to 1, as last reported by its provider. Only while it runs. */
  progress: Schema.optionalKey(Schema.Finite),
  /**
   * Why no run can begin now: the provider cannot be reached, no worker asks for jobs of the model, or
   * the provider's credential is not configured. Absent otherwise.
   */
  waiting_for: Schema.optionalKey(WaitingFor),
  /** The same as a sentence, with the known cause. */
  waiting_reason: Schema.optionalKey(Schema.String),
  /** Always 0: the depth of the queue is not tracked. */
  queue_position: Schema.Literal(0),
  /** Log lines, joined by newlines. */
  logs: Schema.String,
  /** As submitted. */
  webhook: Schema.optionalKey(Schema.String),
  /** As submitted. */
  webhook_events_filter: Schema.optionalKey(Schema.Array(WebhookEventName))
}).annotate({ identifier: "CreatedRequest" })
export type CreatedRequest = typeof CreatedRequest.Type

/** What the provider's answer says of the error besides its message, as far as it does. */
export const UpstreamError = Schema.Struct({
  status: Schema.optionalKey(Schema.Int),
  code: Schema.optionalKey(Schema.String),
  param: Schema.optionalKey(Schema.String),
  type: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "UpstreamError" })
export type UpstreamError = typeof UpstreamError.Type

/** What the provider says of the error. Absent if it says nothing besides the message. */
export const FailureDetails = Schema.Struct({
  code: Schema.Literals(["REQUEST_FAILED", "UPSTREAM_FAILURE"]),
  upstream: UpstreamError
}).annotate({ identifier: "FailureDetails" })
export type FailureDetails = typeof FailureDetails.Type

export const MediaItem = Schema.Struct({
  /** JSON pointer (RFC 6901) to the file's URL in `output`. */
  path: Schema.String,
  fileId: Schema.String,
  /** Public address of the file: anyone who knows it can fetch it. */
  url: Schema.String,
  /** WebP thumbnail of a picture or film; null without one. */
  thumbnailUrl: Schema.NullOr(Schema.String),
  contentType: Schema.String,
  /** Bytes. */
  size: Schema.Int
}).annotate({ identifier: "MediaItem" })
export type MediaItem = typeof MediaItem.Type

/** The request in any state. */
export const RetrievedRequest = Schema.Struct({
  id: Schema.String,
  /** `{owner}/{model}` */
  modelEndpoint: Schema.String,
  status: Status,
  /** As submitted, without the reserved webhook keys; null once erased. */
  input: Schema.Json,
  /** As the model defines it; null without one. */
  output: Schema.Json,
  error: Schema.NullOr(Schema.String),
  details: Schema.optionalKey(FailureDetails),
  /** As given in `X-Request-Metadata`. */
  metadata: Schema.Record(Schema.String, Schema.String),
  /** Time of the run, in ms; null while unknown. */
  inferenceTime: Schema.NullOr(Schema.Int),
  /** From accepted to started, in ms; null while unknown. */
  delayTime: Schema.NullOr(Schema.Int),
  createdAt: Schema.String,
  outcome: Outcome,
  /** Charged, in USD, as a decimal. */
  cost: Schema.String,
  /** Stored copies of the media in `output`. */
  media: Schema.Array(MediaItem),
  /** The result, once `COMPLETED`. */
  response_url: Schema.String,
  status_url: Schema.String,
  /** Cancelled with GET. */
  cancel_url: Schema.String,
  /**
   * Why no run can begin now: the provider cannot be reached, no worker asks for jobs of the model, or
   * the provider's credential is not configured. Absent otherwise.
   */
  waitingFor: Schema.optionalKey(WaitingFor),
  /** The same as a sentence, with the known cause. */
  waitingReason: Schema.optionalKey(Schema.String),
  /** null until the request has ended. */
  billingStatus: Schema.NullOr(BillingStatus),
  /** When input, output and files are erased, if the request has ended by then. */
  expiresAt: Schema.String,
  /** When input, output and files were erased; they are null and empty since then. */
  erasedAt: Schema.NullOr(Schema.String)
}).annotate({ identifier: "RetrievedRequest" })
export type RetrievedRequest = typeof RetrievedRequest.Type

export const SubmitRequestAnswer = Schema.Union([CreatedRequest, RetrievedRequest]).annotate({ identifier: "SubmitRequestAnswer" })
export type SubmitRequestAnswer = typeof SubmitRequestAnswer.Type

/** The current state of the request. */
export const RequestStatus = Schema.Struct({
  status: Status,
  /** 21 characters. */
  request_id: Schema.String,
  /** The result, once `COMPLETED`. */
  response_url: Schema.String,
  status_url: Schema.String,
  /** Cancelled with GET. */
  cancel_url: Schema.String,
  metrics: Schema.optionalKey(RunMetrics),
  /** Completed share of the run, 0 to 1, as last reported by its provider. Only while it runs. */
  progress: Schema.optionalKey(Schema.Finite),
  /**
   * Why no run can begin now: the provider cannot be reached, no worker asks for jobs of the model, or
   * the provider's credential is not configured. Absent otherwise.
   */
  waiting_for: Schema.optionalKey(WaitingFor),
  /** The same as a sentence, with the known cause. */
  waiting_reason: Schema.optionalKey(Schema.String),
  /** Always 0: the depth of the queue is not tracked. */
  queue_position: Schema.Literal(0),
  /** Log lines, joined by newlines. */
  logs: Schema.String
}).annotate({ identifier: "RequestStatus" })
export type RequestStatus = typeof RequestStatus.Type

/** `FAILED` for good: the provider could not run it. */
export const FailedRequestStatus = Schema.Struct({
  status: Schema.Literal("FAILED"),
  /** 21 characters. */
  request_id: Schema.String,
  /** The result, once `COMPLETED`. */
  response_url: Schema.String,
  status_url: Schema.String,
  /** Cancelled with GET. */
  cancel_url: Schema.String,
  metrics: Schema.optionalKey(RunMetrics),
  /** Completed share of the run, 0 to 1, as last reported by its provider. Only while it runs. */
  progress: Schema.optionalKey(Schema.Finite),
  /**
   * Why no run can begin now: the provider cannot be reached, no worker asks for jobs of the model, or
   * the provider's credential is not configured. Absent otherwise.
   */
  waiting_for: Schema.optionalKey(WaitingFor),
  /** The same as a sentence, with the known cause. */
  waiting_reason: Schema.optionalKey(Schema.String),
  /** Always 0: the depth of the queue is not tracked. */
  queue_position: Schema.Literal(0),
  /** Log lines. */
  logs: Schema.Array(Schema.String),
  /** Why the provider could not run it. */
  error: Schema.String,
  details: Schema.optionalKey(FailureDetails)
}).annotate({ identifier: "FailedRequestStatus" })
export type FailedRequestStatus = typeof FailedRequestStatus.Type

/** The result object. */
export const Result = Schema.Struct({
  id: Schema.String,
  /** `{owner}/{model}` */
  modelEndpoint: Schema.String,
  status: Status,
  /** As submitted, without the reserved webhook keys; null once erased. */
  input: Schema.Json,
  /** As the model defines it; null without one. */
  output: Schema.Json,
  error: Schema.NullOr(Schema.String),
  details: Schema.optionalKey(FailureDetails),
  /** As given in `X-Request-Metadata`. */
  metadata: Schema.Record(Schema.String, Schema.String),
  /** Time of the run, in ms; null while unknown. */
  inferenceTime: Schema.NullOr(Schema.Int),
  /** From accepted to started, in ms; null while unknown. */
  delayTime: Schema.NullOr(Schema.Int),
  createdAt: Schema.String,
  outcome: Outcome,
  /** Charged, in USD, as a decimal. */
  cost: Schema.String,
  /** Stored copies of the media in `output`. */
  media: Schema.Array(MediaItem)
}).annotate({ identifier: "Result" })
export type Result = typeof Result.Type

/** One breach of the model's output schema. */
export const Violation = Schema.Struct({
  /** JSON pointer into the output. */
  instancePath: Schema.String,
  message: Schema.String
}).annotate({ identifier: "Violation" })
export type Violation = typeof Violation.Type

export const ResultWithoutOutputDetails = Schema.Struct({
  code: Schema.Literals(["INVALID_OUTPUT", "UPSTREAM_FAILURE"]),
  validationErrors: Schema.optionalKey(Schema.Array(Violation)),
  upstream: Schema.optionalKey(UpstreamError)
}).annotate({ identifier: "ResultWithoutOutputDetails" })
export type ResultWithoutOutputDetails = typeof ResultWithoutOutputDetails.Type

/** Completed without a usable output: `INVALID_OUTPUT` or `UPSTREAM_FAILURE`. Not billed. */
export const ResultWithoutOutput = Schema.Struct({
  id: Schema.String,
  /** `{owner}/{model}` */
  modelEndpoint: Schema.String,
  status: Status,
  /** As submitted, without the reserved webhook keys; null once erased. */
  input: Schema.Json,
  /** As the model defines it; null without one. */
  output: Schema.Json,
  error: Schema.NullOr(Schema.String),
  details: ResultWithoutOutputDetails,
  /** As given in `X-Request-Metadata`. */
  metadata: Schema.Record(Schema.String, Schema.String),
  /** Time of the run, in ms; null while unknown. */
  inferenceTime: Schema.NullOr(Schema.Int),
  /** From accepted to started, in ms; null while unknown. */
  delayTime: Schema.NullOr(Schema.Int),
  createdAt: Schema.String,
  outcome: Outcome,
  /** Charged, in USD, as a decimal. */
  cost: Schema.String,
  /** Stored copies of the media in `output`. */
  media: Schema.Array(MediaItem),
  request_id: Schema.String
}).annotate({ identifier: "ResultWithoutOutput" })
export type ResultWithoutOutput = typeof ResultWithoutOutput.Type

export const Cancellation = Schema.Struct({
  /** Whether the request is cancelled, or its provider has been asked to stop it. */
  accepted: Schema.Boolean,
  reason: Schema.String
}).annotate({ identifier: "Cancellation" })
export type Cancellation = typeof Cancellation.Type

export const CancelledRequestStatusOption = Schema.Struct({
  status: Status,
  /** 21 characters. */
  request_id: Schema.String,
  /** The result, once `COMPLETED`. */
  response_url: Schema.String,
  status_url: Schema.String,
  /** Cancelled with GET. */
  cancel_url: Schema.String,
  metrics: Schema.optionalKey(RunMetrics),
  /** Completed share of the run, 0 to 1, as last reported by its provider. Only while it runs. */
  progress: Schema.optionalKey(Schema.Finite),
  /**
   * Why no run can begin now: the provider cannot be reached, no worker asks for jobs of the model, or
   * the provider's credential is not configured. Absent otherwise.
   */
  waiting_for: Schema.optionalKey(WaitingFor),
  /** The same as a sentence, with the known cause. */
  waiting_reason: Schema.optionalKey(Schema.String),
  /** Always 0: the depth of the queue is not tracked. */
  queue_position: Schema.Literal(0),
  /** Log lines, joined by newlines. */
  logs: Schema.String,
  cancel: Cancellation
}).annotate({ identifier: "CancelledRequestStatusOption" })
export type CancelledRequestStatusOption = typeof CancelledRequestStatusOption.Type

export const CancelledRequestStatusFailed = Schema.Struct({
  status: Schema.Literal("FAILED"),
  /** 21 characters. */
  request_id: Schema.String,
  /** The result, once `COMPLETED`. */
  response_url: Schema.String,
  status_url: Schema.String,
  /** Cancelled with GET. */
  cancel_url: Schema.String,
  metrics: Schema.optionalKey(RunMetrics),
  /** Completed share of the run, 0 to 1, as last reported by its provider. Only while it runs. */
  progress: Schema.optionalKey(Schema.Finite),
  /**
   * Why no run can begin now: the provider cannot be reached, no worker asks for jobs of the model, or
   * the provider's credential is not configured. Absent otherwise.
   */
  waiting_for: Schema.optionalKey(WaitingFor),
  /** The same as a sentence, with the known cause. */
  waiting_reason: Schema.optionalKey(Schema.String),
  /** Always 0: the depth of the queue is not tracked. */
  queue_position: Schema.Literal(0),
  /** Log lines. */
  logs: Schema.Array(Schema.String),
  /** Why the provider could not run it. */
  error: Schema.String,
  details: Schema.optionalKey(FailureDetails),
  cancel: Cancellation
}).annotate({ identifier: "CancelledRequestStatusFailed" })
export type CancelledRequestStatusFailed = typeof CancelledRequestStatusFailed.Type

/** The current state of the request, and whether the cancel was accepted. */
export const CancelledRequestStatus = Schema.Union([CancelledRequestStatusOption, CancelledRequestStatusFailed]).annotate({ identifier: "CancelledRequestStatus" })
export type CancelledRequestStatus = typeof CancelledRequestStatus.Type

/** The price of the request, and its billing. */
export const RequestBill = Schema.Struct({
  unit: Unit,
  /** Of one unit, in USD, as a decimal. */
  unitPrice: Schema.String,
  /** What a charged run costs at least, in USD, as a decimal. */
  minimumCharge: Schema.String,
  currency: Schema.Literal("USD"),
  quotedQuantity: Schema.NullOr(Schema.String),
  /** Units that are charged at most, as a decimal. */
  maxQuantity: Schema.String,
  /** Reserved from submit to the end; the charge never exceeds it, in USD, as a decimal. */
  hold: Schema.String,
  quantity: Schema.NullOr(Schema.String),
  /** As `cost`, in USD, as a decimal. */
  charged: Schema.String
}).annotate({ identifier: "RequestBill" })
export type RequestBill = typeof RequestBill.Type

/** The request as `GET /requests/{id}` shows it; `input`, `output` and `billing` when expanded. */
export const ListedRequest = Schema.Struct({
  id: Schema.String,
  /** `{owner}/{model}` */
  modelEndpoint: Schema.String,
  status: Status,
  error: Schema.NullOr(Schema.String),
  details: Schema.optionalKey(FailureDetails),
  /** As given in `X-Request-Metadata`. */
  metadata: Schema.Record(Schema.String, Schema.String),
  /** Time of the run, in ms; null while unknown. */
  inferenceTime: Schema.NullOr(Schema.Int),
  /** From accepted to started, in ms; null while unknown. */
  delayTime: Schema.NullOr(Schema.Int),
  createdAt: Schema.String,
  outcome: Outcome,
  /** Charged, in USD, as a decimal. */
  cost: Schema.String,
  /** Stored copies of the media in `output`. */
  media: Schema.Array(MediaItem),
  /** The result, once `COMPLETED`. */
  response_url: Schema.String,
  status_url: Schema.String,
  /** Cancelled with GET. */
  cancel_url: Schema.String,
  /**
   * Why no run can begin now: the provider cannot be reached, no worker asks for jobs of the model, or
   * the provider's credential is not configured. Absent otherwise.
   */
  waitingFor: Schema.optionalKey(WaitingFor),
  /** The same as a sentence, with the known cause. */
  waitingReason: Schema.optionalKey(Schema.String),
  /** null until the request has ended. */
  billingStatus: Schema.NullOr(BillingStatus),
  /** When input, output and files are erased, if the request has ended by then. */
  expiresAt: Schema.String,
  /** When input, output and files were erased; they are null and empty since then. */
  erasedAt: Schema.NullOr(Schema.String),
  /** As submitted, without the reserved webhook keys; null once erased. */
  input: Schema.optionalKey(Schema.Json),
  /** As the model defines it; null without one. */
  output: Schema.optionalKey(Schema.Json),
  /** The payloads were requested but exceed the answer: `input` and `output` are null. */
  payloadsOmitted: Schema.optionalKey(Schema.Literal(true)),
  billing: Schema.optionalKey(RequestBill)
}).annotate({ identifier: "ListedRequest" })
export type ListedRequest = typeof ListedRequest.Type

/** A page of the account's requests. */
export const Requests = Schema.Struct({
  page: Schema.Int,
  limit: Schema.Int,
  /** The number of items on all pages. */
  total: Schema.Int,
  totalPages: Schema.Int,
  data: Schema.Array(ListedRequest),
  /** Pass it as `cursor` to get the next page, regardless of later additions; null on the last page. */
  next: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Requests" })
export type Requests = typeof Requests.Type

/**
 * The event's place in the hash chain of its stream. The request is one stream, and each webhook
 * delivery another.
 */
export const TimelineLink = Schema.Struct({
  /** Number of the event in its stream, from 0. */
  ordinal: Schema.Int,
  /** Hash of the event before it in its stream; null for the first. */
  previous: Schema.NullOr(Schema.String),
  /** SHA-256 over that hash and this event, base64url. */
  hash: Schema.String
}).annotate({ identifier: "TimelineLink" })
export type TimelineLink = typeof TimelineLink.Type

/** Runs repeated after an error of transport, after their server was gone, and by the sweep. */
export const TimelineStateRetries = Schema.Struct({
  transport: Schema.Int,
  lost: Schema.Int,
  sweep: Schema.Int
}).annotate({ identifier: "TimelineStateRetries" })
export type TimelineStateRetries = typeof TimelineStateRetries.Type

export const DeliveryMoment = Schema.Struct({
  deliveryId: Schema.String,
  event: WebhookEventName,
  status: DeliveryStatus,
  attempts: Schema.Int,
  /** When it is sent next, while it is `pending`. */
  nextAttemptAt: Schema.NullOr(Schema.String),
  lastResponseStatus: Schema.NullOr(Schema.Int),
  lastError: Schema.NullOr(Schema.String)
}).annotate({ identifier: "DeliveryMoment" })
export type DeliveryMoment = typeof DeliveryMoment.Type

/** The request and its deliveries after the event. */
export const TimelineState = Schema.Struct({
  status: Status,
  outcome: Outcome,
  /**
   * More exact than `status`: `claimed` is handed to the provider, `storing` stores the output's
   * files.
   */
  phase: Schema.Literals(["queued", "claimed", "running", "storing", "ended"]),
  /** Number of the latest run; 0 before the first. */
  attempt: Schema.Int,
  /** When a run first started. */
  startedAt: Schema.NullOr(Schema.String),
  /** From when on the next run, or the next try to store the files, may begin; null otherwise. */
  dueAt: Schema.NullOr(Schema.String),
  /** Runs repeated after an error of transport, after their server was gone, and by the sweep. */
  retries: TimelineStateRetries,
  /** 0 to 1, as last reported. */
  progress: Schema.NullOr(Schema.Finite),
  logLines: Schema.Int,
  cancelRequested: Schema.Boolean,
  input: Schema.Literals(["stored", "erased"]),
  /** Whether the log had the output. The request shows it only once it has completed with one. */
  output: Schema.Literals(["none", "stored", "erased"]),
  /** Where the output breaks the model's schema. */
  violations: Schema.Int,
  /** Stored files of the output. */
  files: Schema.Int,
  /** Held for the request, in USD; `0` once it has ended. */
  hold: Schema.String,
  /** Charged, in USD. */
  cost: Schema.String,
  error: Schema.NullOr(Schema.String),
  /** Webhook deliveries scheduled by then. */
  deliveries: Schema.Array(DeliveryMoment)
}).annotate({ identifier: "TimelineState" })
export type TimelineState = typeof TimelineState.Type

export const TimelineEvent = Schema.Struct({
  /** Position on the log: opaque and permanent. */
  position: Schema.String,
  /**
   * What happened, such as `RequestStarted` or `AttemptFailed`. Types may be added: ignore those you
   * do not know.
   */
  type: Schema.String,
  at: Schema.String,
  /**
   * Fields of that type, as `docs/apps/timeline.md` lists them; more may be added. That of a webhook
   * delivery has its `deliveryId`.
   */
  data: Schema.Record(Schema.String, Schema.Json),
  chain: Schema.optionalKey(TimelineLink),
  state: Schema.optionalKey(TimelineState)
}).annotate({ identifier: "TimelineEvent" })
export type TimelineEvent = typeof TimelineEvent.Type

/** A page of what happened to a request, oldest first. */
export const Timeline = Schema.Struct({
  page: Schema.Int,
  limit: Schema.Int,
  /** The number of items on all pages. */
  total: Schema.Int,
  totalPages: Schema.Int,
  data: Schema.Array(TimelineEvent),
  /** Pass it as `cursor` to get the next page, regardless of later additions; null on the last page. */
  next: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Timeline" })
export type Timeline = typeof Timeline.Type

/** A delivery of a webhook. */
export const Delivery = Schema.Struct({
  /** The `webhook-id`: the same each time it is sent. */
  id: Schema.String,
  requestId: Schema.String,
  event: WebhookEventName,
  url: Schema.String,
  status: DeliveryStatus,
  /** Attempts so far, including replays. */
  attempts: Schema.Int,
  /** The receiver's status; null without an answer. */
  lastResponseStatus: Schema.NullOr(Schema.Int),
  /**
   * `timeout`, `connection_failed`, `tls_error`, `http_<status>`, `redirect_refused`, `gone`,
   * `private_address` or `dns_error`.
   */
  lastError: Schema.NullOr(Schema.String),
  /** When it is sent next, while it is `pending`. */
  nextAttemptAt: Schema.NullOr(Schema.String),
  /** When the receiver last accepted it. */
  deliveredAt: Schema.NullOr(Schema.String),
  createdAt: Schema.String,
  updatedAt: Schema.String
}).annotate({ identifier: "Delivery" })
export type Delivery = typeof Delivery.Type

/** A page of the account's deliveries. */
export const Deliveries = Schema.Struct({
  page: Schema.Int,
  limit: Schema.Int,
  /** The number of items on all pages. */
  total: Schema.Int,
  totalPages: Schema.Int,
  data: Schema.Array(Delivery),
  /** Pass it as `cursor` to get the next page, regardless of later additions; null on the last page. */
  next: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Deliveries" })
export type Deliveries = typeof Deliveries.Type

export const DeliveryAttempt = Schema.Struct({
  at: Schema.String,
  /** The receiver's status; null without an answer. */
  responseStatus: Schema.NullOr(Schema.Int),
  /** null while it is under way, and when its end is unknown. */
  durationMs: Schema.NullOr(Schema.Int),
  /**
   * `timeout`, `connection_failed`, `tls_error`, `http_<status>`, `redirect_refused`, `gone`,
   * `private_address` or `dns_error`.
   */
  error: Schema.NullOr(Schema.String),
  trigger: Schema.Literals(["schedule", "replay", "recover"])
}).annotate({ identifier: "DeliveryAttempt" })
export type DeliveryAttempt = typeof DeliveryAttempt.Type

/** A delivery with its attempts. */
export const DetailedDelivery = Schema.Struct({
  /** The `webhook-id`: the same each time it is sent. */
  id: Schema.String,
  requestId: Schema.String,
  event: WebhookEventName,
  url: Schema.String,
  status: DeliveryStatus,
  /** Attempts so far, including replays. */
  attempts: Schema.Int,
  /** The receiver's status; null without an answer. */
  lastResponseStatus: Schema.NullOr(Schema.Int),
  /**
   * `timeout`, `connection_failed`, `tls_error`, `http_<status>`, `redirect_refused`, `gone`,
   * `private_address` or `dns_error`.
   */
  lastError: Schema.NullOr(Schema.String),
  /** When it is sent next, while it is `pending`. */
  nextAttemptAt: Schema.NullOr(Schema.String),
  /** When the receiver last accepted it. */
  deliveredAt: Schema.NullOr(Schema.String),
  createdAt: Schema.String,
  updatedAt: Schema.String,
  /** At most the last 100, newest last. */
  attemptHistory: Schema.Array(DeliveryAttempt)
}).annotate({ identifier: "DetailedDelivery" })
export type DetailedDelivery = typeof DetailedDelivery.Type

export const WebhookRequest = Schema.Struct({
  method: Schema.Literal("POST"),
  url: Schema.String,
  /**
   * By lower-case name. Timestamp and signature of a past attempt are made again, from its time and
   * the secrets that are valid now.
   */
  headers: Schema.Record(Schema.String, Schema.String),
  /** As sent; null if it is omitted. */
  body: Schema.NullOr(Schema.String),
  /** Bytes. */
  bodySize: Schema.Int,
  /** Why there is no body: `erased`, `too_large` (above 64 KiB) or `unreadable`. */
  omitted: Schema.NullOr(Schema.Literals(["erased", "too_large", "not_kept", "unreadable"]))
}).annotate({ identifier: "WebhookRequest" })
export type WebhookRequest = typeof WebhookRequest.Type

export const WebhookResponse = Schema.Struct({
  status: Schema.Int,
  /** Some of them, such as `content-type`, at most 256 characters each. */
  headers: Schema.Record(Schema.String, Schema.String),
  /** The first 1024 bytes; null if they are not text or omitted. */
  body: Schema.NullOr(Schema.String),
  /** Whether the body went on. */
  isTruncated: Schema.Boolean,
  /** Why there are no headers and no body: `not_kept` for a 2xx without a body, or `erased`. */
  omitted: Schema.NullOr(Schema.Literals(["erased", "too_large", "not_kept", "unreadable"]))
}).annotate({ identifier: "WebhookResponse" })
export type WebhookResponse = typeof WebhookResponse.Type

/** An attempt with its request and its response. */
export const DetailedAttempt = Schema.Struct({
  /** From 1. */
  attempt: Schema.Int,
  at: Schema.String,
  /** The receiver's status; null without an answer. */
  responseStatus: Schema.NullOr(Schema.Int),
  /** null while it is under way, and when its end is unknown. */
  durationMs: Schema.NullOr(Schema.Int),
  /**
   * `timeout`, `connection_failed`, `tls_error`, `http_<status>`, `redirect_refused`, `gone`,
   * `private_address` or `dns_error`.
   */
  error: Schema.NullOr(Schema.String),
  trigger: Schema.Literals(["schedule", "replay", "recover"]),
  request: WebhookRequest,
  /** null without an answer. */
  response: Schema.NullOr(WebhookResponse)
}).annotate({ identifier: "DetailedAttempt" })
export type DetailedAttempt = typeof DetailedAttempt.Type

/** A time, as date-times with an offset. */
export const RecoverBody = Schema.Struct({
  /** Deliveries created at or after this time. */
  since: Schema.String,
  /** Deliveries created before this time; now by default. */
  until: Schema.optionalKey(Schema.String),
  /** Only counts the deliveries, and sends none. */
  preview: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "RecoverBody" })
export type RecoverBody = typeof RecoverBody.Type

/** With `preview`: nothing is sent. */
export const RecoveryPreview = Schema.Struct({
  /** Deliveries that would be sent again. */
  count: Schema.Int
}).annotate({ identifier: "RecoveryPreview" })
export type RecoveryPreview = typeof RecoveryPreview.Type

/** Accepted; the work continues after the answer. */
export const Recovery = Schema.Struct({
  /** Deliveries that are sent again. */
  count: Schema.Int
}).annotate({ identifier: "Recovery" })
export type Recovery = typeof Recovery.Type

/** The secret in force. */
export const SigningSecret = Schema.Struct({
  /** `whsec_` and base64 text. */
  key: Schema.String
}).annotate({ identifier: "SigningSecret" })
export type SigningSecret = typeof SigningSecret.Type

/** May be absent. */
export const RotateSigningSecret = Schema.Struct({
  /**
   * The longest time that previous secrets stay valid, in seconds; 86400 by default. 0: they are
   * invalid at once. 0 to 86400.
   */
  grace: Schema.optionalKey(Schema.Int)
}).annotate({ identifier: "RotateSigningSecret" })
export type RotateSigningSecret = typeof RotateSigningSecret.Type

/** The new secret, valid at once. */
export const RotatedSigningSecret = Schema.Struct({
  /** `whsec_` and base64 text. */
  key: Schema.String,
  /** Until then deliveries are also signed with the previous secret; null if there is none. */
  previousKeyExpiresAt: Schema.NullOr(Schema.String)
}).annotate({ identifier: "RotatedSigningSecret" })
export type RotatedSigningSecret = typeof RotatedSigningSecret.Type

/** A receiver. */
export const TestWebhook = Schema.Struct({
  /** Where the sample is sent. */
  url: Schema.String,
  /** Which event is sent; `completed` by default. */
  event: Schema.optionalKey(WebhookEventName)
}).annotate({ identifier: "TestWebhook" })
export type TestWebhook = typeof TestWebhook.Type

/** What was sent, and what came back. */
export const WebhookTest = Schema.Struct({
  /** The receiver's status; null without an answer. */
  responseStatus: Schema.NullOr(Schema.Int),
  /** null while it is under way, and when its end is unknown. */
  durationMs: Schema.NullOr(Schema.Int),
  /**
   * `timeout`, `connection_failed`, `tls_error`, `http_<status>`, `redirect_refused`, `gone`,
   * `private_address` or `dns_error`.
   */
  error: Schema.NullOr(Schema.String),
  request: WebhookRequest,
  /** null without an answer. */
  response: Schema.NullOr(WebhookResponse)
}).annotate({ identifier: "WebhookTest" })
export type WebhookTest = typeof WebhookTest.Type

/** The file that will be uploaded. Other fields are ignored. */
export const UploadBody = Schema.Struct({
  /**
   * Becomes the last segment of the file's URL, without characters that a name cannot have. 1 to 1024
   * characters.
   */
  file_name: Schema.String,
  /**
   * A media type such as `image/png`. The PUT must have the same `Content-Type`. At most 1024
   * characters.
   */
  content_type: Schema.String,
  /**
   * Bytes; null or absent when unknown. If given, another size is refused. At most 5368709120 for a
   * file in one piece, 53687091200000 for one in parts, and what the account has room for.
   */
  size: Schema.optionalKey(Schema.NullOr(Schema.Int))
}).annotate({ identifier: "UploadBody" })
export type UploadBody = typeof UploadBody.Type

/** The upload URL, and the URL of the file. */
export const Upload = Schema.Struct({
  /**
   * PUT the bytes to it, with the declared `Content-Type` and without `Authorization`. Good for an
   * hour.
   */
  upload_url: Schema.String,
  /** The canonical URL of the file: 404 until all bytes have come. */
  file_url: Schema.String
}).annotate({ identifier: "Upload" })
export type Upload = typeof Upload.Type

/** The ids for uploading parts, and the URL of the file. */
export const MultipartUpload = Schema.Struct({
  /** The canonical URL of the file: 404 until all bytes have come. */
  fileUrl: Schema.String,
  /** Of the upload in parts. */
  uploadId: Schema.String,
  /** Of the file. */
  uploadKey: Schema.String
}).annotate({ identifier: "MultipartUpload" })
export type MultipartUpload = typeof MultipartUpload.Type

/** The upload URL of a part. */
export const PartUrl = Schema.Struct({
  /**
   * PUT the part's bytes to it, without `Authorization`, and keep the `ETag` of the answer. Good for
   * an hour.
   */
  presignedUrl: Schema.String
}).annotate({ identifier: "PartUrl" })
export type PartUrl = typeof PartUrl.Type

export const UploadedPart = Schema.Struct({
  partNumber: Schema.Int,
  /** Without quotes. */
  etag: Schema.String,
  /** Bytes. */
  size: Schema.Int
}).annotate({ identifier: "UploadedPart" })
export type UploadedPart = typeof UploadedPart.Type

/** A multipart upload and its parts so far. */
export const UploadInParts = Schema.Struct({
  /** The canonical URL of the file: 404 until all bytes have come. */
  fileUrl: Schema.String,
  fileName: Schema.String,
  contentType: Schema.String,
  /** Declared bytes; null without a declaration. */
  size: Schema.NullOr(Schema.Int),
  /** The parts so far, by ascending number. */
  parts: Schema.Array(UploadedPart)
}).annotate({ identifier: "UploadInParts" })
export type UploadInParts = typeof UploadInParts.Type

export const Part = Schema.Struct({
  /** 1 to 10000. */
  partNumber: Schema.Int,
  /**
   * The `ETag` of the answer to the PUT; its quotes, and a `W/` before them, are ignored. 1 to 132
   * characters.
   */
  etag: Schema.String
}).annotate({ identifier: "Part" })
export type Part = typeof Part.Type

/** The parts of the file. Other fields are ignored. */
export const CompleteBody = Schema.Struct({
  /** 1 to 2048 characters. */
  uploadId: Schema.String,
  /** 1 to 2048 characters. */
  uploadKey: Schema.String,
  /** All uploaded parts, in any order, each once. 1 to 10000 items. */
  parts: Schema.Array(Part)
}).annotate({ identifier: "CompleteBody" })
export type CompleteBody = typeof CompleteBody.Type

/** The file can be read. */
export const CompletedUpload = Schema.Struct({
  /** The canonical URL of the file. */
  fileUrl: Schema.String
}).annotate({ identifier: "CompletedUpload" })
export type CompletedUpload = typeof CompletedUpload.Type

export const StoredFileChecksums = Schema.Struct({
  /** Hex; null while unknown. */
  sha256: Schema.NullOr(Schema.String)
}).annotate({ identifier: "StoredFileChecksums" })
export type StoredFileChecksums = typeof StoredFileChecksums.Type

/** A stored file. */
export const StoredFile = Schema.Struct({
  id: Schema.String,
  fileName: Schema.String,
  /** Public address of the file: anyone who knows it can fetch it. */
  url: Schema.String,
  contentType: Schema.String,
  /** Bytes; the declared size while `pending`, null without one. */
  size: Schema.NullOr(Schema.Int),
  status: Schema.Literals(["pending", "uploaded"]),
  source: Schema.Literals(["upload", "output"]),
  /** The request whose output it is; null for an upload. */
  requestId: Schema.NullOr(Schema.String),
  checksums: StoredFileChecksums,
  createdAt: Schema.String,
  /** null while it is `pending`. */
  uploadedAt: Schema.NullOr(Schema.String),
  /** Its URL answers 410 from this time on. */
  expiresAt: Schema.String
}).annotate({ identifier: "StoredFile" })
export type StoredFile = typeof StoredFile.Type

/** A page of the account's files. */
export const Files = Schema.Struct({
  page: Schema.Int,
  limit: Schema.Int,
  /** The number of items on all pages. */
  total: Schema.Int,
  totalPages: Schema.Int,
  data: Schema.Array(StoredFile),
  /** Pass it as `cursor` to get the next page, regardless of later additions; null on the last page. */
  next: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Files" })
export type Files = typeof Files.Type

/** What the files of the account take. */
export const Storage = Schema.Struct({
  /** Of all files, with uploads that may still arrive at their declared size. */
  usedBytes: Schema.Int,
  /** The quota; null without one. */
  maxBytes: Schema.NullOr(Schema.Int)
}).annotate({ identifier: "Storage" })
export type Storage = typeof Storage.Type

export const Pricing = Schema.Struct({
  unit: Unit,
  /** USD, as a decimal. */
  unitPrice: Schema.String,
  currency: Schema.Literal("USD"),
  /** The least that a charged run costs, in USD. */
  minimumCharge: Schema.String
}).annotate({ identifier: "Pricing" })
export type Pricing = typeof Pricing.Type

/** A model. */
export const Model = Schema.Struct({
  /** `owner/name`, the address for requests. */
  modelEndpoint: Schema.String,
  owner: Schema.String,
  name: Schema.String,
  displayName: Schema.String,
  description: Schema.String,
  category: Category,
  tags: Schema.Array(Schema.String),
  /** A deprecated one still runs, but should not be used any more. */
  status: Schema.Literals(["active", "deprecated"]),
  /** Its place in the curated list of its category, from 1; null: not in it. */
  recommended: Schema.NullOr(Schema.Int),
  pricing: Pricing,
  /** How long a run usually takes, according to the publisher of the model. */
  expectedSeconds: Schema.Finite,
  /**
   * How the chunks of its output stream add up: joined (`text`), listed (`items`), the last one
   * (`last`), or as chunks of OpenAI's API (`openai`). null: the output comes whole.
   */
  stream: Schema.NullOr(StreamKind),
  /** A valid input. */
  exampleInput: Schema.Json,
  updatedAt: Schema.String,
  kind: Schema.Literal("model"),
  /** Learned from recent runs; null without enough runs and without a queue. */
  expected: Schema.NullOr(Expected)
}).annotate({ identifier: "Model" })
export type Model = typeof Model.Type

/** A page of the models. */
export const Models = Schema.Struct({
  page: Schema.Int,
  limit: Schema.Int,
  /** The number of items on all pages. */
  total: Schema.Int,
  totalPages: Schema.Int,
  data: Schema.Array(Model),
  /** Pass it as `cursor` to get the next page, regardless of later additions; null on the last page. */
  next: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Models" })
export type Models = typeof Models.Type

/** A product on a model: it runs like a model, with a simpler input. */
export const Wrapper = Schema.Struct({
  /** `owner/name`, the address for requests. */
  modelEndpoint: Schema.String,
  owner: Schema.String,
  name: Schema.String,
  displayName: Schema.String,
  description: Schema.String,
  category: Category,
  tags: Schema.Array(Schema.String),
  /** A deprecated one still runs, but should not be used any more. */
  status: Schema.Literals(["active", "deprecated"]),
  /** Its place in the curated list of its category, from 1; null: not in it. */
  recommended: Schema.NullOr(Schema.Int),
  pricing: Pricing,
  /** How long a run usually takes, according to the publisher of the model. */
  expectedSeconds: Schema.Finite,
  /**
   * How the chunks of its output stream add up: joined (`text`), listed (`items`), the last one
   * (`last`), or as chunks of OpenAI's API (`openai`). null: the output comes whole.
   */
  stream: Schema.NullOr(StreamKind),
  /** A valid input. */
  exampleInput: Schema.Json,
  updatedAt: Schema.String,
  kind: Schema.Literal("wrapper"),
  /** The model that runs. */
  base: Schema.String,
  /** The input of `base`, with `{{name}}` where the input goes in. */
  template: Schema.Record(Schema.String, Schema.Json),
  /** Values of placeholders that the input omits. */
  defaults: Schema.Record(Schema.String, Schema.Json),
  /** Learned from recent runs; null without enough runs and without a queue. */
  expected: Schema.NullOr(Expected)
}).annotate({ identifier: "Wrapper" })
export type Wrapper = typeof Wrapper.Type

/** A model or a wrapper, see `kind`. */
export const GetModelAnswer = Schema.Union([Model, Wrapper]).annotate({ identifier: "GetModelAnswer" })
export type GetModelAnswer = typeof GetModelAnswer.Type

/** JSON Schema 2020-12 of the input, and of the result's `output`. */
export const ModelSchema = Schema.Struct({
  input: Schema.Record(Schema.String, Schema.Json),
  output: Schema.Record(Schema.String, Schema.Json)
}).annotate({ identifier: "ModelSchema" })
export type ModelSchema = typeof ModelSchema.Type

/** A page of the wrappers. */
export const Wrappers = Schema.Struct({
  page: Schema.Int,
  limit: Schema.Int,
  /** The number of items on all pages. */
  total: Schema.Int,
  totalPages: Schema.Int,
  data: Schema.Array(Wrapper),
  /** Pass it as `cursor` to get the next page, regardless of later additions; null on the last page. */
  next: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Wrappers" })
export type Wrappers = typeof Wrappers.Type

/** A curated list. */
export const Collection = Schema.Struct({
  slug: Schema.String,
  name: Schema.String,
  description: Schema.String
}).annotate({ identifier: "Collection" })
export type Collection = typeof Collection.Type

/** A page of the collections. */
export const Collections = Schema.Struct({
  page: Schema.Int,
  limit: Schema.Int,
  /** The number of items on all pages. */
  total: Schema.Int,
  totalPages: Schema.Int,
  data: Schema.Array(Collection),
  /** Pass it as `cursor` to get the next page, regardless of later additions; null on the last page. */
  next: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Collections" })
export type Collections = typeof Collections.Type

/** A curated list with its models and wrappers. */
export const CollectionWithModels = Schema.Struct({
  slug: Schema.String,
  name: Schema.String,
  description: Schema.String,
  /** Models and wrappers in the order of the list, without those that are no longer offered. */
  models: Schema.Array(Schema.Union([Model, Wrapper]))
}).annotate({ identifier: "CollectionWithModels" })
export type CollectionWithModels = typeof CollectionWithModels.Type

/** The results of each kind, best first. */
export const SearchResults = Schema.Struct({
  /** The query as sent. */
  query: Schema.String,
  models: Schema.Array(Model),
  wrappers: Schema.Array(Wrapper),
  collections: Schema.Array(Collection)
}).annotate({ identifier: "SearchResults" })
export type SearchResults = typeof SearchResults.Type

/** The price of one model or wrapper. */
export const Price = Schema.Struct({
  modelEndpoint: Schema.String,
  unit: Unit,
  /** USD, as a decimal. */
  unitPrice: Schema.String,
  currency: Schema.Literal("USD"),
  /** The least that a charged run costs, in USD. */
  minimumCharge: Schema.String,
  /** When the model was last published, with this price. */
  effectiveFrom: Schema.String
}).annotate({ identifier: "Price" })
export type Price = typeof Price.Type

/** A page of the prices. */
export const Prices = Schema.Struct({
  page: Schema.Int,
  limit: Schema.Int,
  /** The number of items on all pages. */
  total: Schema.Int,
  totalPages: Schema.Int,
  data: Schema.Array(Price),
  /** Pass it as `cursor` to get the next page, regardless of later additions; null on the last page. */
  next: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Prices" })
export type Prices = typeof Prices.Type

export const EstimateRequest = Schema.Struct({
  /** `owner/name` */
  modelEndpoint: Schema.String,
  /** As it would be submitted. */
  input: Schema.Record(Schema.String, Schema.Json)
}).annotate({ identifier: "EstimateRequest" })
export type EstimateRequest = typeof EstimateRequest.Type

/** What a run of this input would cost. */
export const Estimate = Schema.Struct({
  modelEndpoint: Schema.String,
  /** Billable units, as a decimal. */
  quantity: Schema.String,
  unit: Unit,
  /** USD, as a decimal. */
  estimatedCost: Schema.String,
  currency: Schema.Literal("USD"),
  /** The units are known only after the run: `quantity` and `estimatedCost` are the maximum. */
  isMaximum: Schema.Boolean,
  /** Reserved until the run has ended, in USD: no run costs more. */
  maximumCost: Schema.String,
  /** How long a run usually takes, according to the publisher of the model. */
  expectedSeconds: Schema.Finite,
  /** Learned from recent runs; null without enough runs and without a queue. */
  expected: Schema.NullOr(Expected)
}).annotate({ identifier: "Estimate" })
export type Estimate = typeof Estimate.Type

/** A kind of GPU. */
export const Gpu = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  manufacturer: Schema.String,
  memoryGb: Schema.Int,
  /** USD, as a decimal. */
  pricePerHour: Schema.String,
  currency: Schema.Literal("USD"),
  availability: Schema.Literals(["available", "limited", "unavailable"]),
  /** The most GPUs in one deployment. */
  maxCount: Schema.Int
}).annotate({ identifier: "Gpu" })
export type Gpu = typeof Gpu.Type

/** A page of the GPUs. */
export const Gpus = Schema.Struct({
  page: Schema.Int,
  limit: Schema.Int,
  /** The number of items on all pages. */
  total: Schema.Int,
  totalPages: Schema.Int,
  data: Schema.Array(Gpu),
  /** Pass it as `cursor` to get the next page, regardless of later additions; null on the last page. */
  next: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Gpus" })
export type Gpus = typeof Gpus.Type

/** What to start on a GPU so that it runs a kind of model. */
export const DeploymentTemplate = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  description: Schema.String,
  category: Category,
  image: Schema.String,
  /** GPUs that it runs on, as in `GET /gpus`. */
  gpuIds: Schema.Array(Schema.String),
  minReplicas: Schema.Int,
  maxReplicas: Schema.Int,
  /** Environment variables. */
  env: Schema.Record(Schema.String, Schema.String),
  /** TCP ports that it listens on. */
  ports: Schema.Array(Schema.Int),
  public: Schema.Boolean,
  createdAt: Schema.String
}).annotate({ identifier: "DeploymentTemplate" })
export type DeploymentTemplate = typeof DeploymentTemplate.Type

/** A page of the public deployment templates. */
export const DeploymentTemplates = Schema.Struct({
  page: Schema.Int,
  limit: Schema.Int,
  /** The number of items on all pages. */
  total: Schema.Int,
  totalPages: Schema.Int,
  data: Schema.Array(DeploymentTemplate),
  /** Pass it as `cursor` to get the next page, regardless of later additions; null on the last page. */
  next: Schema.NullOr(Schema.String)
}).annotate({ identifier: "DeploymentTemplates" })
export type DeploymentTemplates = typeof DeploymentTemplates.Type

/** What the account has. */
export const Balance = Schema.Struct({
  /** Top-ups minus charges, including reservations. */
  balance: Schema.String,
  /** Reserved for requests that have not ended. */
  reserved: Schema.String,
  /** The balance minus reservations. Negative when a credit limit is used. */
  available: Schema.String,
  /** How far below zero `available` may go. */
  creditLimit: Schema.String,
  currency: Schema.Literal("USD"),
  /** Of the last billing event; null without one. */
  updatedAt: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Balance" })
export type Balance = typeof Balance.Type

export const UsageDataItem = Schema.Struct({
  /** When the hour, day or month began (UTC). */
  bucket: Schema.String,
  /** Only with `groupBy=key`: the key that submitted the requests. */
  keyId: Schema.optionalKey(Schema.String),
  modelEndpoint: Schema.String,
  /** What `quantity` counts. */
  unit: Unit,
  /** Charged units, as a decimal. */
  quantity: Schema.String,
  /** That were charged. */
  requests: Schema.Int,
  /** USD, as a decimal. */
  cost: Schema.String
}).annotate({ identifier: "UsageDataItem" })
export type UsageDataItem = typeof UsageDataItem.Type

/** Of all of `data`. */
export const UsageTotals = Schema.Struct({
  /** That were charged. */
  requests: Schema.Int,
  /** By unit. */
  quantity: Schema.Record(Schema.String, Schema.String),
  /** USD, as a decimal. */
  cost: Schema.String
}).annotate({ identifier: "UsageTotals" })
export type UsageTotals = typeof UsageTotals.Type

/** What was charged. */
export const Usage = Schema.Struct({
  /** Begin of the first bucket, at or before the requested start. */
  start: Schema.String,
  /** End of the last bucket, at or after the requested end. */
  end: Schema.String,
  granularity: Schema.Literals(["hour", "day", "month"]),
  currency: Schema.Literal("USD"),
  /** Ordered by bucket, then key if grouped by it, then model. Buckets without charges are omitted. */
  data: Schema.Array(UsageDataItem),
  /** Of all of `data`. */
  totals: UsageTotals
}).annotate({ identifier: "Usage" })
export type Usage = typeof Usage.Type

/** An entry of the account's ledger. */
export const BillingEvent = Schema.Struct({
  /** Permanent and unique on this log. */
  id: Schema.String,
  /**
   * `topup`: paid in. `hold`: reserved at submit. `charge`: taken from the hold. `release`: returned
   * at the end of a request. `revert`: returned for an abandoned request.
   */
  type: Schema.Literals(["topup", "hold", "charge", "release", "revert"]),
  /** null for a top-up. */
  requestId: Schema.NullOr(Schema.String),
  /** null for a top-up. */
  modelEndpoint: Schema.NullOr(Schema.String),
  /** USD, positive; `type` says what for. */
  amount: Schema.String,
  currency: Schema.Literal("USD"),
  /** The account's balance including reservations: only top-ups and charges change it. */
  balanceAfter: Schema.String,
  createdAt: Schema.String,
  /** Of the event on the log, as `inferlog audit` and `inferlog log` show it. */
  position: Schema.String
}).annotate({ identifier: "BillingEvent" })
export type BillingEvent = typeof BillingEvent.Type

/** A page of the account's billing events. */
export const BillingEvents = Schema.Struct({
  page: Schema.Int,
  limit: Schema.Int,
  /** The number of items on all pages. */
  total: Schema.Int,
  totalPages: Schema.Int,
  data: Schema.Array(BillingEvent),
  /** Pass it as `cursor` to get the next page, regardless of later additions; null on the last page. */
  next: Schema.NullOr(Schema.String)
}).annotate({ identifier: "BillingEvents" })
export type BillingEvents = typeof BillingEvents.Type

/** An API key without its secret. */
export const ApiKey = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  /** The beginning of the key, without its secret. */
  prefix: Schema.String,
  /** What it may do. */
  scopes: Schema.Array(Scope),
  /** The models, `owner/model`, whose requests it may submit and see; null: every model's. */
  modelEndpoints: Schema.NullOr(Schema.Array(Schema.String)),
  /** The most that its requests may cost in a calendar month (UTC), in USD; null: no limit of its own. */
  monthlyBudget: Schema.NullOr(Schema.String),
  createdAt: Schema.String,
  /** To the minute; null when it was not used, as far as is known. */
  lastUsedAt: Schema.NullOr(Schema.String),
  /**
   * The origins of web pages that may use it, and that its keys and tokens may name; null: no page may
   * use it, and they may name any.
   */
  origins: Schema.NullOr(Schema.Array(Schema.String)),
  /** The key is invalid from this time on; null: never. */
  expiresAt: Schema.NullOr(Schema.String),
  /** When its secret was last rotated. */
  rotatedAt: Schema.NullOr(Schema.String),
  /** When it was revoked. */
  revokedAt: Schema.NullOr(Schema.String)
}).annotate({ identifier: "ApiKey" })
export type ApiKey = typeof ApiKey.Type

/** A page of the account's keys. */
export const ApiKeys = Schema.Struct({
  page: Schema.Int,
  limit: Schema.Int,
  /** The number of items on all pages. */
  total: Schema.Int,
  totalPages: Schema.Int,
  data: Schema.Array(ApiKey),
  /** Pass it as `cursor` to get the next page, regardless of later additions; null on the last page. */
  next: Schema.NullOr(Schema.String)
}).annotate({ identifier: "ApiKeys" })
export type ApiKeys = typeof ApiKeys.Type

/** An absent field has the value of the key that makes the call. */
export const NewApiKey = Schema.Struct({
  /** 1 to 100 characters, none of them a control character. */
  name: Schema.String,
  /** What it may do. 1 to 100 items. */
  scopes: Schema.optionalKey(Schema.Array(Scope)),
  /** Models as `owner/model`, which may be published later; null: every model. */
  modelEndpoints: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.String))),
  /** USD above 0 with at most 9 decimals; null: as much as the account has. */
  monthlyBudget: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** In the future; null: never. */
  expiresAt: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /**
   * Origins of web pages, such as `https://app.example`: scheme, host and a port that is not the
   * default one. Only their pages may use the key, and its keys and tokens name no others; null: no
   * page may use it, and its keys and tokens name any.
   */
  origins: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.String)))
}).annotate({ identifier: "NewApiKey" })
export type NewApiKey = typeof NewApiKey.Type

/** A new API key. */
export const IssuedApiKey = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  /** The beginning of the key, without its secret. */
  prefix: Schema.String,
  /** What it may do. */
  scopes: Schema.Array(Scope),
  /** The models, `owner/model`, whose requests it may submit and see; null: every model's. */
  modelEndpoints: Schema.NullOr(Schema.Array(Schema.String)),
  /** The most that its requests may cost in a calendar month (UTC), in USD; null: no limit of its own. */
  monthlyBudget: Schema.NullOr(Schema.String),
  createdAt: Schema.String,
  /** To the minute; null when it was not used, as far as is known. */
  lastUsedAt: Schema.NullOr(Schema.String),
  /**
   * The origins of web pages that may use it, and that its keys and tokens may name; null: no page may
   * use it, and they may name any.
   */
  origins: Schema.NullOr(Schema.Array(Schema.String)),
  /** The key is invalid from this time on; null: never. */
  expiresAt: Schema.NullOr(Schema.String),
  /** When its secret was last rotated. */
  rotatedAt: Schema.NullOr(Schema.String),
  /** When it was revoked. */
  revokedAt: Schema.NullOr(Schema.String),
  /** `<id>:<secret>`, shown only here. */
  key: Schema.String
}).annotate({ identifier: "IssuedApiKey" })
export type IssuedApiKey = typeof IssuedApiKey.Type

/** May be absent. */
export const RotateApiKey = Schema.Struct({
  /** How long the previous secret stays valid; 86400 by default. 0 to 604800. */
  gracePeriodSeconds: Schema.optionalKey(Schema.Int)
}).annotate({ identifier: "RotateApiKey" })
export type RotateApiKey = typeof RotateApiKey.Type

/** An API key with its new secret, valid at once. */
export const RotatedApiKey = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  /** The beginning of the key, without its secret. */
  prefix: Schema.String,
  /** What it may do. */
  scopes: Schema.Array(Scope),
  /** The models, `owner/model`, whose requests it may submit and see; null: every model's. */
  modelEndpoints: Schema.NullOr(Schema.Array(Schema.String)),
  /** The most that its requests may cost in a calendar month (UTC), in USD; null: no limit of its own. */
  monthlyBudget: Schema.NullOr(Schema.String),
  createdAt: Schema.String,
  /** To the minute; null when it was not used, as far as is known. */
  lastUsedAt: Schema.NullOr(Schema.String),
  /**
   * The origins of web pages that may use it, and that its keys and tokens may name; null: no page may
   * use it, and they may name any.
   */
  origins: Schema.NullOr(Schema.Array(Schema.String)),
  /** The key is invalid from this time on; null: never. */
  expiresAt: Schema.NullOr(Schema.String),
  /** When its secret was last rotated. */
  rotatedAt: Schema.NullOr(Schema.String),
  /** When it was revoked. */
  revokedAt: Schema.NullOr(Schema.String),
  /** `<id>:<secret>`, shown only here. */
  key: Schema.String,
  /** The previous secret is valid until this time; null: it is invalid. */
  previousKeyExpiresAt: Schema.NullOr(Schema.String)
}).annotate({ identifier: "RotatedApiKey" })
export type RotatedApiKey = typeof RotatedApiKey.Type

/** `models`, `request` or `readOnly` must be given. `models` and `request` exclude each other. */
export const NewToken = Schema.Struct({
  /** Seconds; 600 by default. 1 to 3600. */
  expiresIn: Schema.optionalKey(Schema.Int),
  /**
   * It submits to these models, `owner/model`, and follows and cancels what it, or a token of the same
   * `user`, has submitted. With `readOnly`: it reads requests of these models. 1 to 20 items.
   */
  models: Schema.optionalKey(Schema.Array(Schema.String)),
  /** It follows and cancels this request of the account. */
  request: Schema.optionalKey(Schema.String),
  /** It reads the requests that the key may read. With `request`: it does not cancel. */
  readOnly: Schema.optionalKey(Schema.Boolean),
  /**
   * Your name of the person at the page, 1 to 200 characters, with `models` only. Tokens with the same
   * name open each other's requests. The server stores only a keyed hash of it. 1 to 200 characters.
   */
  user: Schema.optionalKey(Schema.String),
  /**
   * Origins of web pages, such as `https://app.example`: scheme, host and a port that is not the
   * default one. Only their pages may use it. By default those of the key. 1 to 10 items.
   */
  origins: Schema.optionalKey(Schema.Array(Schema.String))
}).annotate({ identifier: "NewToken" })
export type NewToken = typeof NewToken.Type

/** A token, shown only here. */
export const Token = Schema.Struct({
  /** Sent like a key: `Authorization: Key <token>`. */
  token: Schema.String,
  expiresAt: Schema.String,
  models: Schema.NullOr(Schema.Array(Schema.String)),
  request: Schema.NullOr(Schema.String),
  readOnly: Schema.Boolean,
  /** null: no page of another origin may use it. */
  origins: Schema.NullOr(Schema.Array(Schema.String))
}).annotate({ identifier: "Token" })
export type Token = typeof Token.Type

/** One reason why a request is invalid. */
export const Issue = Schema.Struct({
  /** From the body's root: property names and array indexes; a header or query parameter by its name. */
  path: Schema.Array(Schema.Union([Schema.String, Schema.Finite])),
  message: Schema.String,
  /** The violated rule, as one word. */
  code: Schema.String
}).annotate({ identifier: "Issue" })
export type Issue = typeof Issue.Type

export const ErrorDetails = Schema.Struct({
  code: Schema.String,
  validationErrors: Schema.optionalKey(Schema.Array(Violation)),
  /** Seconds. */
  retryAfter: Schema.optionalKey(Schema.Finite),
  /** The owner of the limit, or the scope that the key lacks. */
  scope: Schema.optionalKey(Schema.Literals(["account", "key", "model", "node", "address", "connection", "requests:write", "requests:read", "files:write", "files:read", "webhooks:read", "webhooks:write", "billing:read", "keys:admin"])),
  /** The most that the request may cost, in USD. */
  required: Schema.optionalKey(Schema.String),
  /** The account's balance minus its holds, in USD. */
  available: Schema.optionalKey(Schema.String),
  /**
   * For 413 the limit in bytes of the file or of the account's files; for 429 the number of calls or
   * of concurrent requests; for 402 the key's monthly budget in USD.
   */
  limit: Schema.optionalKey(Schema.Union([Schema.Int, Schema.String])),
  /** The part of the budget that the key has spent or reserved, in USD. */
  spent: Schema.optionalKey(Schema.String),
  /** When the next month begins. */
  resetsAt: Schema.optionalKey(Schema.String),
  /** The period of the limit in seconds; null for a limit of concurrent use. */
  window: Schema.optionalKey(Schema.NullOr(Schema.Int)),
  /** The fields that would grant the key too much. */
  fields: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Bytes of the account's files. */
  used: Schema.optionalKey(Schema.Int),
  /** The file that already has these bytes. */
  fileUrl: Schema.optionalKey(Schema.String),
  /** Why the parts cannot be completed to a file. */
  reason: Schema.optionalKey(Schema.Literals(["missing", "etag_mismatch", "too_small", "wrong_size", "not_named"])),
  /** The parts that the reason concerns. */
  partNumbers: Schema.optionalKey(Schema.Array(Schema.Int)),
  /** The archived segment that cannot be read. */
  segment: Schema.optionalKey(Schema.String),
  upstream: Schema.optionalKey(UpstreamError)
}).annotate({ identifier: "ErrorDetails" })
export type ErrorDetails = typeof ErrorDetails.Type

/**
 * Invalid or malformed, a request that has not completed, failed or was cancelled, an unknown event id
 * to resume from, or bytes or parts of a file that are not as required (`details.code`).
 */
export const ErrorBody = Schema.Struct({
  error: Schema.Union([Schema.String, Schema.Array(Issue)]),
  /** Correlation id for support, also in `x-request-id`. Not the id of an inference request. */
  request_id: Schema.String,
  details: Schema.optionalKey(ErrorDetails)
}).annotate({ identifier: "ErrorBody" })
export type ErrorBody = typeof ErrorBody.Type

/** The result object of a request that a provider has started. */
export const StartEvent = Schema.Struct({
  id: Schema.String,
  /** `{owner}/{model}` */
  modelEndpoint: Schema.String,
  status: Schema.Literal("IN_PROGRESS"),
  /** As submitted, without the reserved webhook keys; null once erased. */
  input: Schema.Json,
  output: Schema.Null,
  error: Schema.NullOr(Schema.String),
  /** As given in `X-Request-Metadata`. */
  metadata: Schema.Record(Schema.String, Schema.String),
  /** Time of the run, in ms; null while unknown. */
  inferenceTime: Schema.NullOr(Schema.Int),
  /** From accepted to started, in ms; null while unknown. */
  delayTime: Schema.NullOr(Schema.Int),
  createdAt: Schema.String,
  outcome: Outcome,
  /** Charged, in USD, as a decimal. */
  cost: Schema.String,
  /** Stored copies of the media in `output`. */
  media: Schema.Array(MediaItem),
  event: Schema.Literal("start")
}).annotate({ identifier: "StartEvent" })
export type StartEvent = typeof StartEvent.Type

export const CompletedEventWithoutOutputDetails = Schema.Struct({
  code: Schema.Literals(["INVALID_OUTPUT", "UPSTREAM_FAILURE"]),
  validationErrors: Schema.optionalKey(Schema.Array(Violation)),
  upstream: Schema.optionalKey(UpstreamError)
}).annotate({ identifier: "CompletedEventWithoutOutputDetails" })
export type CompletedEventWithoutOutputDetails = typeof CompletedEventWithoutOutputDetails.Type

/** The body of the 422: completed without a usable output. Not billed. */
export const CompletedEventWithoutOutput = Schema.Struct({
  id: Schema.String,
  /** `{owner}/{model}` */
  modelEndpoint: Schema.String,
  status: Status,
  /** As submitted, without the reserved webhook keys; null once erased. */
  input: Schema.Json,
  /** As the model defines it; null without one. */
  output: Schema.Json,
  error: Schema.NullOr(Schema.String),
  details: CompletedEventWithoutOutputDetails,
  /** As given in `X-Request-Metadata`. */
  metadata: Schema.Record(Schema.String, Schema.String),
  /** Time of the run, in ms; null while unknown. */
  inferenceTime: Schema.NullOr(Schema.Int),
  /** From accepted to started, in ms; null while unknown. */
  delayTime: Schema.NullOr(Schema.Int),
  createdAt: Schema.String,
  outcome: Outcome,
  /** Charged, in USD, as a decimal. */
  cost: Schema.String,
  /** Stored copies of the media in `output`. */
  media: Schema.Array(MediaItem),
  request_id: Schema.String,
  event: Schema.Literal("completed"),
  billingStatus: BillingStatus
}).annotate({ identifier: "CompletedEventWithoutOutput" })
export type CompletedEventWithoutOutput = typeof CompletedEventWithoutOutput.Type

/** The result object of a request that has ended, successfully or not: see `outcome`. */
export const CompletedEvent = Schema.Struct({
  id: Schema.String,
  /** `{owner}/{model}` */
  modelEndpoint: Schema.String,
  status: Status,
  /** As submitted, without the reserved webhook keys; null once erased. */
  input: Schema.Json,
  /** As the model defines it; null without one. */
  output: Schema.Json,
  error: Schema.NullOr(Schema.String),
  details: Schema.optionalKey(FailureDetails),
  /** As given in `X-Request-Metadata`. */
  metadata: Schema.Record(Schema.String, Schema.String),
  /** Time of the run, in ms; null while unknown. */
  inferenceTime: Schema.NullOr(Schema.Int),
  /** From accepted to started, in ms; null while unknown. */
  delayTime: Schema.NullOr(Schema.Int),
  createdAt: Schema.String,
  outcome: Outcome,
  /** Charged, in USD, as a decimal. */
  cost: Schema.String,
  /** Stored copies of the media in `output`. */
  media: Schema.Array(MediaItem),
  event: Schema.Literal("completed"),
  billingStatus: BillingStatus
}).annotate({ identifier: "CompletedEvent" })
export type CompletedEvent = typeof CompletedEvent.Type

/** The body of a webhook. */
export const WebhookEvent = Schema.Union([StartEvent, CompletedEventWithoutOutput, CompletedEvent]).annotate({ identifier: "WebhookEvent" })
export type WebhookEvent = typeof WebhookEvent.Type
