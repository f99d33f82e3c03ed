/**
 * Bodies and queries of the API as they travel: JSON, with money as decimal text and times as ISO 8601 text.
 * Written by `npm run docs` from the server's declarations.
 */

export type Status = "IN_QUEUE" | "IN_PROGRESS" | "COMPLETED" | "FAILED" | "CANCELLED"

export type Outcome =
  | "pending"
  | "succeeded"
  | "partial"
  | "invalid_output"
  | "provider_failed"
  | "failed"
  | "cancelled"
  | "expired"

export type BillingStatus = "charged" | "partial" | "failed"

export type WaitingFor = "provider_down" | "worker" | "credentials"

export type StreamKind = "text" | "items" | "last" | "openai"

export type Category = "image" | "video" | "audio" | "text" | "utility"

export type Unit =
  | "request"
  | "image"
  | "megapixel"
  | "second"
  | "1k_characters"
  | "1k_tokens"
  | "gpu_second"

export type Scope =
  | "requests:write"
  | "requests:read"
  | "files:write"
  | "files:read"
  | "webhooks:read"
  | "webhooks:write"
  | "billing:read"
  | "keys:admin"

export type TimelineEventType =
  | "AttemptFailed"
  | "AttemptLost"
  | "AttemptStarted"
  | "AttemptSucceeded"
  | "CancelRequested"
  | "DeliveryFailed"
  | "DeliveryScheduled"
  | "DispatchStarted"
  | "ErasedFilesRemoved"
  | "LateOutcomeIgnored"
  | "MediaStored"
  | "OutputReceived"
  | "OutputRejected"
  | "PayloadsErased"
  | "ProgressReported"
  | "ProviderAccepted"
  | "ReplayRequested"
  | "RequestCancelled"
  | "RequestCompleted"
  | "RequestFailed"
  | "RequestForceFailed"
  | "RequestRequeued"
  | "RequestStarted"
  | "RequestSubmitted"
  | "RunTakenOver"
  | "SweepRetried"

export type WebhookEventName = "start" | "completed"

export type DeliveryStatus = "pending" | "delivering" | "delivered" | "failed"

export interface SubmitRequestQuery {
  /** As `Prefer: wait=<seconds>`, 1 to 60. */
  readonly wait?: string | undefined
}

/** The model's input, and two reserved fields that the model does not see. */
export interface SubmitBody {
  /** HTTPS URL that gets the events, at most 2048 characters. */
  readonly webhook?: string | undefined
  /** Events to send; by default `["completed"]`. */
  readonly webhook_events_filter?: ReadonlyArray<WebhookEventName> | undefined
  readonly [key: string]: unknown
}

/** Accepted. */
export interface CreatedRequest {
  status: "IN_QUEUE"
  /** 21 characters. */
  request_id: string
  /** The result, once `COMPLETED`. */
  response_url: string
  status_url: string
  /** Cancelled with GET. */
  cancel_url: string
  metrics?: RunMetrics
  /** Completed share of the run, 0 to 1, as last reported by its provider. Only while it runs. */
  progress?: number
  /**
   * Why no run can begin now: the provider cannot be reached, no worker asks for jobs of the model, or
   * the provider's credential is not configured. Absent otherwise.
   */
  waiting_for?: WaitingFor
  /** The same as a sentence, with the known cause. */
  waiting_reason?: string
  /** Always 0: the depth of the queue is not tracked. */
  queue_position: 0
  /** Log lines, joined by newlines. */
  logs: string
  /** As submitted. */
  webhook?: string
  /** As submitted. */
  webhook_events_filter?: Array<WebhookEventName>
}

/** The request in any state. */
export interface RetrievedRequest {
  id: string
  /** `{owner}/{model}` */
  modelEndpoint: string
  status: Status
  /** As submitted, without the reserved webhook keys; null once erased. */
  input: unknown
  /** As the model defines it; null without one. */
  output: unknown
  error: string | null
  details?: FailureDetails
  /** As given in `X-Request-Metadata`. */
  metadata: { [key: string]: string }
  /** Time of the run, in ms; null while unknown. */
  inferenceTime: number | null
  /** From accepted to started, in ms; null while unknown. */
  delayTime: number | null
  createdAt: string
  outcome: Outcome
  /** Charged, in USD, as a decimal. */
  cost: string
  /** Stored copies of the media in `output`. */
  media: Array<MediaItem>
  /** The result, once `COMPLETED`. */
  response_url: string
  status_url: string
  /** Cancelled with GET. */
  cancel_url: string
  /**
   * Why no run can begin now: the provider cannot be reached, no worker asks for jobs of the model, or
   * the provider's credential is not configured. Absent otherwise.
   */
  waitingFor?: WaitingFor
  /** The same as a sentence, with the known cause. */
  waitingReason?: string
  /** null until the request has ended. */
  billingStatus: BillingStatus | null
  /** When input, output and files are erased, if the request has ended by then. */
  expiresAt: string
  /** When input, output and files were erased; they are null and empty since then. */
  erasedAt: string | null
}

export type SubmitRequestAnswer = CreatedRequest | RetrievedRequest

export interface GetRequestStatusQuery {
  /** Holds the answer until the status changes, for at most this many seconds, 0 to 60. */
  readonly wait?: string | undefined
}

/** The current state of the request. */
export interface RequestStatus {
  status: Status
  /** 21 characters. */
  request_id: string
  /** The result, once `COMPLETED`. */
  response_url: string
  status_url: string
  /** Cancelled with GET. */
  cancel_url: string
  metrics?: RunMetrics
  /** Completed share of the run, 0 to 1, as last reported by its provider. Only while it runs. */
  progress?: number
  /**
   * Why no run can begin now: the provider cannot be reached, no worker asks for jobs of the model, or
   * the provider's credential is not configured. Absent otherwise.
   */
  waiting_for?: WaitingFor
  /** The same as a sentence, with the known cause. */
  waiting_reason?: string
  /** Always 0: the depth of the queue is not tracked. */
  queue_position: 0
  /** Log lines, joined by newlines. */
  logs: string
}

/** `FAILED` for good: the provider could not run it. */
export interface FailedRequestStatus {
  status: "FAILED"
  /** 21 characters. */
  request_id: string
  /** The result, once `COMPLETED`. */
  response_url: string
  status_url: string
  /** Cancelled with GET. */
  cancel_url: string
  metrics?: RunMetrics
  /** Completed share of the run, 0 to 1, as last reported by its provider. Only while it runs. */
  progress?: number
  /**
   * Why no run can begin now: the provider cannot be reached, no worker asks for jobs of the model, or
   * the provider's credential is not configured. Absent otherwise.
   */
  waiting_for?: WaitingFor
  /** The same as a sentence, with the known cause. */
  waiting_reason?: string
  /** Always 0: the depth of the queue is not tracked. */
  queue_position: 0
  /** Log lines. */
  logs: Array<string>
  /** Why the provider could not run it. */
  error: string
  details?: FailureDetails
}

/** The result object. */
export interface Result {
  id: string
  /** `{owner}/{model}` */
  modelEndpoint: string
  status: Status
  /** As submitted, without the reserved webhook keys; null once erased. */
  input: unknown
  /** As the model defines it; null without one. */
  output: unknown
  error: string | null
  details?: FailureDetails
  /** As given in `X-Request-Metadata`. */
  metadata: { [key: string]: string }
  /** Time of the run, in ms; null while unknown. */
  inferenceTime: number | null
  /** From accepted to started, in ms; null while unknown. */
  delayTime: number | null
  createdAt: string
  outcome: Outcome
  /** Charged, in USD, as a decimal. */
  cost: string
  /** Stored copies of the media in `output`. */
  media: Array<MediaItem>
}

/** Completed without a usable output: `INVALID_OUTPUT` or `UPSTREAM_FAILURE`. Not billed. */
export interface ResultWithoutOutput {
  id: string
  /** `{owner}/{model}` */
  modelEndpoint: string
  status: Status
  /** As submitted, without the reserved webhook keys; null once erased. */
  input: unknown
  /** As the model defines it; null without one. */
  output: unknown
  error: string | null
  details: ResultWithoutOutputDetails
  /** As given in `X-Request-Metadata`. */
  metadata: { [key: string]: string }
  /** Time of the run, in ms; null while unknown. */
  inferenceTime: number | null
  /** From accepted to started, in ms; null while unknown. */
  delayTime: number | null
  createdAt: string
  outcome: Outcome
  /** Charged, in USD, as a decimal. */
  cost: string
  /** Stored copies of the media in `output`. */
  media: Array<MediaItem>
  request_id: string
}

export interface ResultWithoutOutputDetails {
  code: "INVALID_OUTPUT" | "UPSTREAM_FAILURE"
  validationErrors?: Array<Violation>
  upstream?: UpstreamError
}

/** The current state of the request, and whether the cancel was accepted. */
export type CancelledRequestStatus = CancelledRequestStatusOption | CancelledRequestStatusFailed

export interface CancelledRequestStatusOption {
  status: Status
  /** 21 characters. */
  request_id: string
  /** The result, once `COMPLETED`. */
  response_url: string
  status_url: string
  /** Cancelled with GET. */
  cancel_url: string
  metrics?: RunMetrics
  /** Completed share of the run, 0 to 1, as last reported by its provider. Only while it runs. */
  progress?: number
  /**
   * Why no run can begin now: the provider cannot be reached, no worker asks for jobs of the model, or
   * the provider's credential is not configured. Absent otherwise.
   */
  waiting_for?: WaitingFor
  /** The same as a sentence, with the known cause. */
  waiting_reason?: string
  /** Always 0: the depth of the queue is not tracked. */
  queue_position: 0
  /** Log lines, joined by newlines. */
  logs: string
  cancel: Cancellation
}

export interface CancelledRequestStatusFailed {
  status: "FAILED"
  /** 21 characters. */
  request_id: string
  /** The result, once `COMPLETED`. */
  response_url: string
  status_url: string
  /** Cancelled with GET. */
  cancel_url: string
  metrics?: RunMetrics
  /** Completed share of the run, 0 to 1, as last reported by its provider. Only while it runs. */
  progress?: number
  /**
   * Why no run can begin now: the provider cannot be reached, no worker asks for jobs of the model, or
   * the provider's credential is not configured. Absent otherwise.
   */
  waiting_for?: WaitingFor
  /** The same as a sentence, with the known cause. */
  waiting_reason?: string
  /** Always 0: the depth of the queue is not tracked. */
  queue_position: 0
  /** Log lines. */
  logs: Array<string>
  /** Why the provider could not run it. */
  error: string
  details?: FailureDetails
  cancel: Cancellation
}

export interface ListRequestsQuery {
  /** Only this status. */
  readonly status?: Status | undefined
  /** Only this model, `{owner}/{model}`. */
  readonly modelEndpoint?: string | undefined
  /** Only requests accepted after this time: a date-time with its offset, or a date (midnight UTC). */
  readonly createdAfter?: string | undefined
  /** Only requests accepted before this time. */
  readonly createdBefore?: string | undefined
  /** Adds to each request: payloads, billing, comma-separated. */
  readonly expand?: string | ReadonlyArray<string> | undefined
  /** From 1. At least 1. Default: 1. */
  readonly page?: number | undefined
  /** Of one page. 1 to 100. Default: 20. */
  readonly limit?: number | undefined
  /** `next` of the page before; in the place of `page`. */
  readonly cursor?: string | undefined
}

/** A page of the account's requests. */
export interface Requests {
  page: number
  limit: number
  /** The number of items on all pages. */
  total: number
  totalPages: number
  data: Array<ListedRequest>
  /** Pass it as `cursor` to get the next page, regardless of later additions; null on the last page. */
  next: string | null
}

export interface ListRequestEventsQuery {
  /** Only events of this type. */
  readonly type?: TimelineEventType | undefined
  /** Adds to each event: hashes, states, comma-separated. */
  readonly expand?: string | ReadonlyArray<string> | undefined
  /** From 1. At least 1. Default: 1. */
  readonly page?: number | undefined
  /** Of one page. 1 to 100. Default: 20. */
  readonly limit?: number | undefined
  /** `next` of the page before; in the place of `page`. */
  readonly cursor?: string | undefined
}

/** A page of what happened to a request, oldest first. */
export interface Timeline {
  page: number
  limit: number
  /** The number of items on all pages. */
  total: number
  totalPages: number
  data: Array<TimelineEvent>
  /** Pass it as `cursor` to get the next page, regardless of later additions; null on the last page. */
  next: string | null
}

export interface StreamRequestsQuery {
  /**
   * Only this request; repeated: only these. The stream ends when all of them have ended. At most 100
   * items.
   */
  readonly request_id?: ReadonlyArray<string> | undefined
  /** Only requests for this model. */
  readonly modelEndpoint?: string | undefined
  /** `1`: the event that ends a request has its log lines. */
  readonly logs?: "0" | "1" | undefined
  /** As the header `Last-Event-ID`, which wins over it. */
  readonly last_event_id?: string | undefined
}

export interface StreamRequestOutputQuery {
  /** As the header `Last-Event-ID`, which wins over it. */
  readonly last_event_id?: string | undefined
}

export interface ListDeliveriesQuery {
  /** Only this request. */
  readonly requestId?: string | undefined
  /** Only this status. */
  readonly status?: DeliveryStatus | undefined
  /** Only this event. */
  readonly event?: WebhookEventName | undefined
  /** From 1. At least 1. Default: 1. */
  readonly page?: number | undefined
  /** Of one page. 1 to 100. Default: 10. */
  readonly limit?: number | undefined
  /** `next` of the page before; in the place of `page`. */
  readonly cursor?: string | undefined
}

/** A page of the account's deliveries. */
export interface Deliveries {
  page: number
  limit: number
  /** The number of items on all pages. */
  total: number
  totalPages: number
  data: Array<Delivery>
  /** Pass it as `cursor` to get the next page, regardless of later additions; null on the last page. */
  next: string | null
}

/** A delivery with its attempts. */
export interface DetailedDelivery {
  /** The `webhook-id`: the same each time it is sent. */
  id: string
  requestId: string
  event: WebhookEventName
  url: string
  status: DeliveryStatus
  /** Attempts so far, including replays. */
  attempts: number
  /** The receiver's status; null without an answer. */
  lastResponseStatus: number | null
  /**
   * `timeout`, `connection_failed`, `tls_error`, `http_<status>`, `redirect_refused`, `gone`,
   * `private_address` or `dns_error`.
   */
  lastError: string | null
  /** When it is sent next, while it is `pending`. */
  nextAttemptAt: string | null
  /** When the receiver last accepted it. */
  deliveredAt: string | null
  createdAt: string
  updatedAt: string
  /** At most the last 100, newest last. */
  attemptHistory: Array<DeliveryAttempt>
}

/** An attempt with its request and its response. */
export interface DetailedAttempt {
  /** From 1. */
  attempt: number
  at: string
  /** The receiver's status; null without an answer. */
  responseStatus: number | null
  /** null while it is under way, and when its end is unknown. */
  durationMs: number | null
  /**
   * `timeout`, `connection_failed`, `tls_error`, `http_<status>`, `redirect_refused`, `gone`,
   * `private_address` or `dns_error`.
   */
  error: string | null
  trigger: "schedule" | "replay" | "recover"
  request: WebhookRequest
  /** null without an answer. */
  response: WebhookResponse | null
}

/** A delivery of a webhook. */
export interface Delivery {
  /** The `webhook-id`: the same each time it is sent. */
  id: string
  requestId: string
  event: WebhookEventName
  url: string
  status: DeliveryStatus
  /** Attempts so far, including replays. */
  attempts: number
  /** The receiver's status; null without an answer. */
  lastResponseStatus: number | null
  /**
   * `timeout`, `connection_failed`, `tls_error`, `http_<status>`, `redirect_refused`, `gone`,
   * `private_address` or `dns_error`.
   */
  lastError: string | null
  /** When it is sent next, while it is `pending`. */
  nextAttemptAt: string | null
  /** When the receiver last accepted it. */
  deliveredAt: string | null
  createdAt: string
  updatedAt: string
}

/** A time, as date-times with an offset. */
export interface RecoverBody {
  /** Deliveries created at or after this time. */
  readonly since: string
  /** Deliveries created before this time; now by default. */
  readonly until?: string | undefined
  /** Only counts the deliveries, and sends none. */
  readonly preview?: boolean | undefined
}

/** With `preview`: nothing is sent. */
export interface RecoveryPreview {
  /** Deliveries that would be sent again. */
  count: number
}

/** Accepted; the work continues after the answer. */
export interface Recovery {
  /** Deliveries that are sent again. */
  count: number
}

/** The secret in force. */
export interface SigningSecret {
  /** `whsec_` and base64 text. */
  key: string
}

/** May be absent. */
export interface RotateSigningSecret {
  /**
   * The longest time that previous secrets stay valid, in seconds; 86400 by default. 0: they are
   * invalid at once. 0 to 86400.
   */
  readonly grace?: number | undefined
}

/** The new secret, valid at once. */
export interface RotatedSigningSecret {
  /** `whsec_` and base64 text. */
  key: string
  /** Until then deliveries are also signed with the previous secret; null if there is none. */
  previousKeyExpiresAt: string | null
}

/** A receiver. */
export interface TestWebhook {
  /** Where the sample is sent. */
  readonly url: string
  /** Which event is sent; `completed` by default. */
  readonly event?: WebhookEventName | undefined
}

/** What was sent, and what came back. */
export interface WebhookTest {
  /** The receiver's status; null without an answer. */
  responseStatus: number | null
  /** null while it is under way, and when its end is unknown. */
  durationMs: number | null
  /**
   * `timeout`, `connection_failed`, `tls_error`, `http_<status>`, `redirect_refused`, `gone`,
   * `private_address` or `dns_error`.
   */
  error: string | null
  request: WebhookRequest
  /** null without an answer. */
  response: WebhookResponse | null
}

/** The file that will be uploaded. Other fields are ignored. */
export interface UploadBody {
  /**
   * Becomes the last segment of the file's URL, without characters that a name cannot have. 1 to 1024
   * characters.
   */
  readonly file_name: string
  /**
   * A media type such as `image/png`. The PUT must have the same `Content-Type`. At most 1024
   * characters.
   */
  readonly content_type: string
  /**
   * Bytes; null or absent when unknown. If given, another size is refused. At most 5368709120 for a
   * file in one piece, 53687091200000 for one in parts, and what the account has room for.
   */
  readonly size?: number | null | undefined
}

/** The upload URL, and the URL of the file. */
export interface Upload {
  /**
   * PUT the bytes to it, with the declared `Content-Type` and without `Authorization`. Good for an
   * hour.
   */
  upload_url: string
  /** The canonical URL of the file: 404 until all bytes have come. */
  file_url: string
}

/** The ids for uploading parts, and the URL of the file. */
export interface MultipartUpload {
  /** The canonical URL of the file: 404 until all bytes have come. */
  fileUrl: string
  /** Of the upload in parts. */
  uploadId: string
  /** Of the file. */
  uploadKey: string
}

export interface GetPartUrlQuery {
  /** The `uploadKey` that the upload began with. 1 to 2048 characters. */
  readonly uploadKey: string
  /** The `uploadId` that the upload began with. 1 to 2048 characters. */
  readonly uploadId: string
  /** From 1, without gaps. 1 to 10000. */
  readonly partNumber: number
}

/** The upload URL of a part. */
export interface PartUrl {
  /**
   * PUT the part's bytes to it, without `Authorization`, and keep the `ETag` of the answer. Good for
   * an hour.
   */
  presignedUrl: string
}

export interface ListPartsQuery {
  /** The `uploadKey` that the upload began with. 1 to 2048 characters. */
  readonly uploadKey: string
  /** The `uploadId` that the upload began with. 1 to 2048 characters. */
  readonly uploadId: string
}

/** A multipart upload and its parts so far. */
export interface UploadInParts {
  /** The canonical URL of the file: 404 until all bytes have come. */
  fileUrl: string
  fileName: string
  contentType: string
  /** Declared bytes; null without a declaration. */
  size: number | null
  /** The parts so far, by ascending number. */
  parts: Array<UploadedPart>
}

/** The parts of the file. Other fields are ignored. */
export interface CompleteBody {
  /** 1 to 2048 characters. */
  readonly uploadId: string
  /** 1 to 2048 characters. */
  readonly uploadKey: string
  /** All uploaded parts, in any order, each once. 1 to 10000 items. */
  readonly parts: ReadonlyArray<Part>
}

/** The file can be read. */
export interface CompletedUpload {
  /** The canonical URL of the file. */
  fileUrl: string
}

export interface ListFilesQuery {
  /** Only files uploaded by a client, or only outputs of requests. */
  readonly source?: "upload" | "output" | undefined
  /** Only this media type, whatever its parameters, or all types of a kind: `image/*`. */
  readonly contentType?: string | undefined
  /** Only outputs of this request. */
  readonly requestId?: string | undefined
  /** From 1. At least 1. Default: 1. */
  readonly page?: number | undefined
  /** Of one page. 1 to 100. Default: 20. */
  readonly limit?: number | undefined
  /** `next` of the page before; in the place of `page`. */
  readonly cursor?: string | undefined
}

/** A page of the account's files. */
export interface Files {
  page: number
  limit: number
  /** The number of items on all pages. */
  total: number
  totalPages: number
  data: Array<StoredFile>
  /** Pass it as `cursor` to get the next page, regardless of later additions; null on the last page. */
  next: string | null
}

/** What the files of the account take. */
export interface Storage {
  /** Of all files, with uploads that may still arrive at their declared size. */
  usedBytes: number
  /** The quota; null without one. */
  maxBytes: number | null
}

/** A stored file. */
export interface StoredFile {
  id: string
  fileName: string
  /** Public address of the file: anyone who knows it can fetch it. */
  url: string
  contentType: string
  /** Bytes; the declared size while `pending`, null without one. */
  size: number | null
  status: "pending" | "uploaded"
  source: "upload" | "output"
  /** The request whose output it is; null for an upload. */
  requestId: string | null
  checksums: StoredFileChecksums
  createdAt: string
  /** null while it is `pending`. */
  uploadedAt: string | null
  /** Its URL answers 410 from this time on. */
  expiresAt: string
}

export interface StoredFileChecksums {
  /** Hex; null while unknown. */
  sha256: string | null
}

export interface ListModelsQuery {
  /** Only items with these words, best first; one wrong letter is forgiven. At most 200 characters. */
  readonly search?: string | undefined
  /** Only this category. */
  readonly category?: Category | undefined
  /** Only this status. */
  readonly status?: "active" | "deprecated" | undefined
  /** From 1. At least 1. Default: 1. */
  readonly page?: number | undefined
  /** Of one page. 1 to 100. Default: 20. */
  readonly limit?: number | undefined
  /** `next` of the page before; in the place of `page`. */
  readonly cursor?: string | undefined
}

/** A page of the models. */
export interface Models {
  page: number
  limit: number
  /** The number of items on all pages. */
  total: number
  totalPages: number
  data: Array<Model>
  /** Pass it as `cursor` to get the next page, regardless of later additions; null on the last page. */
  next: string | null
}

/** A model. */
export interface Model {
  /** `owner/name`, the address for requests. */
  modelEndpoint: string
  owner: string
  name: string
  displayName: string
  description: string
  category: Category
  tags: Array<string>
  /** A deprecated one still runs, but should not be used any more. */
  status: "active" | "deprecated"
  /** Its place in the curated list of its category, from 1; null: not in it. */
  recommended: number | null
  pricing: Pricing
  /** How long a run usually takes, according to the publisher of the model. */
  expectedSeconds: number
  /**
   * How the chunks of its output stream add up: joined (`text`), listed (`items`), the last one
   * (`last`), or as chunks of OpenAI's API (`openai`). null: the output comes whole.
   */
  stream: StreamKind | null
  /** A valid input. */
  exampleInput: unknown
  updatedAt: string
  kind: "model"
  /** Learned from recent runs; null without enough runs and without a queue. */
  expected: Expected | null
}

/** A product on a model: it runs like a model, with a simpler input. */
export interface Wrapper {
  /** `owner/name`, the address for requests. */
  modelEndpoint: string
  owner: string
  name: string
  displayName: string
  description: string
  category: Category
  tags: Array<string>
  /** A deprecated one still runs, but should not be used any more. */
  status: "active" | "deprecated"
  /** Its place in the curated list of its category, from 1; null: not in it. */
  recommended: number | null
  pricing: Pricing
  /** How long a run usually takes, according to the publisher of the model. */
  expectedSeconds: number
  /**
   * How the chunks of its output stream add up: joined (`text`), listed (`items`), the last one
   * (`last`), or as chunks of OpenAI's API (`openai`). null: the output comes whole.
   */
  stream: StreamKind | null
  /** A valid input. */
  exampleInput: unknown
  updatedAt: string
  kind: "wrapper"
  /** The model that runs. */
  base: string
  /** The input of `base`, with `{{name}}` where the input goes in. */
  template: { [key: string]: unknown }
  /** Values of placeholders that the input omits. */
  defaults: { [key: string]: unknown }
  /** Learned from recent runs; null without enough runs and without a queue. */
  expected: Expected | null
}

/** A model or a wrapper, see `kind`. */
export type GetModelAnswer = Model | Wrapper

/** JSON Schema 2020-12 of the input, and of the result's `output`. */
export interface ModelSchema {
  input: { [key: string]: unknown }
  output: { [key: string]: unknown }
}

export interface ListWrappersQuery {
  /** Only items with these words, best first; one wrong letter is forgiven. At most 200 characters. */
  readonly search?: string | undefined
  /** Only this category. */
  readonly category?: Category | undefined
  /** Only this status. */
  readonly status?: "active" | "deprecated" | undefined
  /** From 1. At least 1. Default: 1. */
  readonly page?: number | undefined
  /** Of one page. 1 to 100. Default: 20. */
  readonly limit?: number | undefined
  /** `next` of the page before; in the place of `page`. */
  readonly cursor?: string | undefined
}

/** A page of the wrappers. */
export interface Wrappers {
  page: number
  limit: number
  /** The number of items on all pages. */
  total: number
  totalPages: number
  data: Array<Wrapper>
  /** Pass it as `cursor` to get the next page, regardless of later additions; null on the last page. */
  next: string | null
}

export interface ListCollectionsQuery {
  /** From 1. At least 1. Default: 1. */
  readonly page?: number | undefined
  /** Of one page. 1 to 100. Default: 20. */
  readonly limit?: number | undefined
  /** `next` of the page before; in the place of `page`. */
  readonly cursor?: string | undefined
}

/** A page of the collections. */
export interface Collections {
  page: number
  limit: number
  /** The number of items on all pages. */
  total: number
  totalPages: number
  data: Array<Collection>
  /** Pass it as `cursor` to get the next page, regardless of later additions; null on the last page. */
  next: string | null
}

/** A curated list with its models and wrappers. */
export interface CollectionWithModels {
  slug: string
  name: string
  description: string
  /** Models and wrappers in the order of the list, without those that are no longer offered. */
  models: Array<Model | Wrapper>
}

export interface SearchCatalogQuery {
  /** Words, in any order. Required. 1 to 200 characters. */
  readonly query?: string | undefined
  /** The most items of each kind. 1 to 100. Default: 20. */
  readonly limit?: number | undefined
}

/** The results of each kind, best first. */
export interface SearchResults {
  /** The query as sent. */
  query: string
  models: Array<Model>
  wrappers: Array<Wrapper>
  collections: Array<Collection>
}

export interface ListPricesQuery {
  /** Only this model or wrapper: `owner/name`. The list is empty when it does not exist. */
  readonly modelEndpoint?: string | undefined
  /** From 1. At least 1. Default: 1. */
  readonly page?: number | undefined
  /** Of one page. 1 to 100. Default: 20. */
  readonly limit?: number | undefined
  /** `next` of the page before; in the place of `page`. */
  readonly cursor?: string | undefined
}

/** A page of the prices. */
export interface Prices {
  page: number
  limit: number
  /** The number of items on all pages. */
  total: number
  totalPages: number
  data: Array<Price>
  /** Pass it as `cursor` to get the next page, regardless of later additions; null on the last page. */
  next: string | null
}

export interface EstimateRequest {
  /** `owner/name` */
  readonly modelEndpoint: string
  /** As it would be submitted. */
  readonly input: { readonly [key: string]: unknown }
}

/** What a run of this input would cost. */
export interface Estimate {
  modelEndpoint: string
  /** Billable units, as a decimal. */
  quantity: string
  unit: Unit
  /** USD, as a decimal. */
  estimatedCost: string
  currency: "USD"
  /** The units are known only after the run: `quantity` and `estimatedCost` are the maximum. */
  isMaximum: boolean
  /** Reserved until the run has ended, in USD: no run costs more. */
  maximumCost: string
  /** How long a run usually takes, according to the publisher of the model. */
  expectedSeconds: number
  /** Learned from recent runs; null without enough runs and without a queue. */
  expected: Expected | null
}

export interface ListGpusQuery {
  /** From 1. At least 1. Default: 1. */
  readonly page?: number | undefined
  /** Of one page. 1 to 100. Default: 20. */
  readonly limit?: number | undefined
  /** `next` of the page before; in the place of `page`. */
  readonly cursor?: string | undefined
}

/** A page of the GPUs. */
export interface Gpus {
  page: number
  limit: number
  /** The number of items on all pages. */
  total: number
  totalPages: number
  data: Array<Gpu>
  /** Pass it as `cursor` to get the next page, regardless of later additions; null on the last page. */
  next: string | null
}

export interface ListDeploymentTemplatesQuery {
  /** From 1. At least 1. Default: 1. */
  readonly page?: number | undefined
  /** Of one page. 1 to 100. Default: 20. */
  readonly limit?: number | undefined
  /** `next` of the page before; in the place of `page`. */
  readonly cursor?: string | undefined
}

/** A page of the public deployment templates. */
export interface DeploymentTemplates {
  page: number
  limit: number
  /** The number of items on all pages. */
  total: number
  totalPages: number
  data: Array<DeploymentTemplate>
  /** Pass it as `cursor` to get the next page, regardless of later additions; null on the last page. */
  next: string | null
}

/** What to start on a GPU so that it runs a kind of model. */
export interface DeploymentTemplate {
  id: string
  name: string
  description: string
  category: Category
  image: string
  /** GPUs that it runs on, as in `GET /gpus`. */
  gpuIds: Array<string>
  minReplicas: number
  maxReplicas: number
  /** Environment variables. */
  env: { [key: string]: string }
  /** TCP ports that it listens on. */
  ports: Array<number>
  public: boolean
  createdAt: string
}

/** What the account has. */
export interface Balance {
  /** Top-ups minus charges, including reservations. */
  balance: string
  /** Reserved for requests that have not ended. */
  reserved: string
  /** The balance minus reservations. Negative when a credit limit is used. */
  available: string
  /** How far below zero `available` may go. */
  creditLimit: string
  currency: "USD"
  /** Of the last billing event; null without one. */
  updatedAt: string | null
}

export interface GetUsageQuery {
  /** A date-time with its offset, or a date (UTC). Default: 30 days before `end`. */
  readonly start?: string | undefined
  /** A date-time with its offset, or a date (UTC). Default: now. */
  readonly end?: string | undefined
  /** The length of a bucket. Default: "day". */
  readonly granularity?: "hour" | "day" | "month" | undefined
  /** Only this model: `owner/name`. */
  readonly modelEndpoint?: string | undefined
  /** Only requests submitted with this key. */
  readonly keyId?: string | undefined
  /** `key`: a row for each key, instead of one for all keys. */
  readonly groupBy?: "key" | undefined
}

/** What was charged. */
export interface Usage {
  /** Begin of the first bucket, at or before the requested start. */
  start: string
  /** End of the last bucket, at or after the requested end. */
  end: string
  granularity: "hour" | "day" | "month"
  currency: "USD"
  /** Ordered by bucket, then key if grouped by it, then model. Buckets without charges are omitted. */
  data: Array<UsageDataItem>
  /** Of all of `data`. */
  totals: UsageTotals
}

export interface UsageDataItem {
  /** When the hour, day or month began (UTC). */
  bucket: string
  /** Only with `groupBy=key`: the key that submitted the requests. */
  keyId?: string
  modelEndpoint: string
  /** What `quantity` counts. */
  unit: Unit
  /** Charged units, as a decimal. */
  quantity: string
  /** That were charged. */
  requests: number
  /** USD, as a decimal. */
  cost: string
}

/** Of all of `data`. */
export interface UsageTotals {
  /** That were charged. */
  requests: number
  /** By unit. */
  quantity: { [key: string]: string }
  /** USD, as a decimal. */
  cost: string
}

export interface ListBillingEventsQuery {
  /** Only this request. */
  readonly requestId?: string | undefined
  /** Only this type. */
  readonly type?: "topup" | "hold" | "charge" | "release" | "revert" | undefined
  /** From 1. At least 1. Default: 1. */
  readonly page?: number | undefined
  /** Of one page. 1 to 100. Default: 20. */
  readonly limit?: number | undefined
  /** `next` of the page before; in the place of `page`. */
  readonly cursor?: string | undefined
}

/** A page of the account's billing events. */
export interface BillingEvents {
  page: number
  limit: number
  /** The number of items on all pages. */
  total: number
  totalPages: number
  data: Array<BillingEvent>
  /** Pass it as `cursor` to get the next page, regardless of later additions; null on the last page. */
  next: string | null
}

export interface ListKeysQuery {
  /** From 1. At least 1. Default: 1. */
  readonly page?: number | undefined
  /** Of one page. 1 to 100. Default: 20. */
  readonly limit?: number | undefined
  /** `next` of the page before; in the place of `page`. */
  readonly cursor?: string | undefined
}

/** A page of the account's keys. */
export interface ApiKeys {
  page: number
  limit: number
  /** The number of items on all pages. */
  total: number
  totalPages: number
  data: Array<ApiKey>
  /** Pass it as `cursor` to get the next page, regardless of later additions; null on the last page. */
  next: string | null
}

/** An absent field has the value of the key that makes the call. */
export interface NewApiKey {
  /** 1 to 100 characters, none of them a control character. */
  readonly name: string
  /** What it may do. 1 to 100 items. */
  readonly scopes?: ReadonlyArray<Scope> | undefined
  /** Models as `owner/model`, which may be published later; null: every model. */
  readonly modelEndpoints?: ReadonlyArray<string> | null | undefined
  /** USD above 0 with at most 9 decimals; null: as much as the account has. */
  readonly monthlyBudget?: string | null | undefined
  /** In the future; null: never. */
  readonly expiresAt?: string | null | undefined
  /**
   * Origins of web pages, such as `https://app.example`: scheme, host and a port that is not the
   * default one. Only their pages may use the key, and its keys and tokens name no others; null: no
   * page may use it, and its keys and tokens name any.
   */
  readonly origins?: ReadonlyArray<string> | null | undefined
}

/** A new API key. */
export interface IssuedApiKey {
  id: string
  name: string
  /** The beginning of the key, without its secret. */
  prefix: string
  /** What it may do. */
  scopes: Array<Scope>
  /** The models, `owner/model`, whose requests it may submit and see; null: every model's. */
  modelEndpoints: Array<string> | null
  /** The most that its requests may cost in a calendar month (UTC), in USD; null: no limit of its own. */
  monthlyBudget: string | null
  createdAt: string
  /** To the minute; null when it was not used, as far as is known. */
  lastUsedAt: string | null
  /**
   * The origins of web pages that may use it, and that its keys and tokens may name; null: no page may
   * use it, and they may name any.
   */
  origins: Array<string> | null
  /** The key is invalid from this time on; null: never. */
  expiresAt: string | null
  /** When its secret was last rotated. */
  rotatedAt: string | null
  /** When it was revoked. */
  revokedAt: string | null
  /** `<id>:<secret>`, shown only here. */
  key: string
}

/** An API key without its secret. */
export interface ApiKey {
  id: string
  name: string
  /** The beginning of the key, without its secret. */
  prefix: string
  /** What it may do. */
  scopes: Array<Scope>
  /** The models, `owner/model`, whose requests it may submit and see; null: every model's. */
  modelEndpoints: Array<string> | null
  /** The most that its requests may cost in a calendar month (UTC), in USD; null: no limit of its own. */
  monthlyBudget: string | null
  createdAt: string
  /** To the minute; null when it was not used, as far as is known. */
  lastUsedAt: string | null
  /**
   * The origins of web pages that may use it, and that its keys and tokens may name; null: no page may
   * use it, and they may name any.
   */
  origins: Array<string> | null
  /** The key is invalid from this time on; null: never. */
  expiresAt: string | null
  /** When its secret was last rotated. */
  rotatedAt: string | null
  /** When it was revoked. */
  revokedAt: string | null
}

/** May be absent. */
export interface RotateApiKey {
  /** How long the previous secret stays valid; 86400 by default. 0 to 604800. */
  readonly gracePeriodSeconds?: number | undefined
}

/** An API key with its new secret, valid at once. */
export interface RotatedApiKey {
  id: string
  name: string
  /** The beginning of the key, without its secret. */
  prefix: string
  /** What it may do. */
  scopes: Array<Scope>
  /** The models, `owner/model`, whose requests it may submit and see; null: every model's. */
  modelEndpoints: Array<string> | null
  /** The most that its requests may cost in a calendar month (UTC), in USD; null: no limit of its own. */
  monthlyBudget: string | null
  createdAt: string
  /** To the minute; null when it was not used, as far as is known. */
  lastUsedAt: string | null
  /**
   * The origins of web pages that may use it, and that its keys and tokens may name; null: no page may
   * use it, and they may name any.
   */
  origins: Array<string> | null
  /** The key is invalid from this time on; null: never. */
  expiresAt: string | null
  /** When its secret was last rotated. */
  rotatedAt: string | null
  /** When it was revoked. */
  revokedAt: string | null
  /** `<id>:<secret>`, shown only here. */
  key: string
  /** The previous secret is valid until this time; null: it is invalid. */
  previousKeyExpiresAt: string | null
}

/** `models`, `request` or `readOnly` must be given. `models` and `request` exclude each other. */
export interface NewToken {
  /** Seconds; 600 by default. 1 to 3600. */
  readonly expiresIn?: number | undefined
  /**
   * It submits to these models, `owner/model`, and follows and cancels what it, or a token of the same
   * `user`, has submitted. With `readOnly`: it reads requests of these models. 1 to 20 items.
   */
  readonly models?: ReadonlyArray<string> | undefined
  /** It follows and cancels this request of the account. */
  readonly request?: string | undefined
  /** It reads the requests that the key may read. With `request`: it does not cancel. */
  readonly readOnly?: boolean | undefined
  /**
   * Your name of the person at the page, 1 to 200 characters, with `models` only. Tokens with the same
   * name open each other's requests. The server stores only a keyed hash of it. 1 to 200 characters.
   */
  readonly user?: string | undefined
  /**
   * Origins of web pages, such as `https://app.example`: scheme, host and a port that is not the
   * default one. Only their pages may use it. By default those of the key. 1 to 10 items.
   */
  readonly origins?: ReadonlyArray<string> | undefined
}

/** A token, shown only here. */
export interface Token {
  /** Sent like a key: `Authorization: Key <token>`. */
  token: string
  expiresAt: string
  models: Array<string> | null
  request: string | null
  readOnly: boolean
  /** null: no page of another origin may use it. */
  origins: Array<string> | null
}

/**
 * Invalid or malformed, a request that has not completed, failed or was cancelled, an unknown event id
 * to resume from, or bytes or parts of a file that are not as required (`details.code`).
 */
export interface ErrorBody {
  error: string | Array<Issue>
  /** Correlation id for support, also in `x-request-id`. Not the id of an inference request. */
  request_id: string
  details?: ErrorDetails
}

/** The body of a webhook. */
export type WebhookEvent = StartEvent | CompletedEventWithoutOutput | CompletedEvent

export interface RunMetrics {
  /** Seconds that the run took; whole seconds so far while it runs. */
  inference_time?: number
  /** Expected seconds of a run when the request was accepted; only until it has ended. */
  expected_time?: number
}

/** What the provider says of the error. Absent if it says nothing besides the message. */
export interface FailureDetails {
  code: "REQUEST_FAILED" | "UPSTREAM_FAILURE"
  upstream: UpstreamError
}

export interface MediaItem {
  /** JSON pointer (RFC 6901) to the file's URL in `output`. */
  path: string
  fileId: string
  /** Public address of the file: anyone who knows it can fetch it. */
  url: string
  /** WebP thumbnail of a picture or film; null without one. */
  thumbnailUrl: string | null
  contentType: string
  /** Bytes. */
  size: number
}

/** One breach of the model's output schema. */
export interface Violation {
  /** JSON pointer into the output. */
  instancePath: string
  message: string
}

/** What the provider's answer says of the error besides its message, as far as it does. */
export interface UpstreamError {
  status?: number
  code?: string
  param?: string
  type?: string
}

export interface Cancellation {
  /** Whether the request is cancelled, or its provider has been asked to stop it. */
  accepted: boolean
  reason: string
}

/** The request as `GET /requests/{id}` shows it; `input`, `output` and `billing` when expanded. */
export interface ListedRequest {
  id: string
  /** `{owner}/{model}` */
  modelEndpoint: string
  status: Status
  error: string | null
  details?: FailureDetails
  /** As given in `X-Request-Metadata`. */
  metadata: { [key: string]: string }
  /** Time of the run, in ms; null while unknown. */
  inferenceTime: number | null
  /** From accepted to started, in ms; null while unknown. */
  delayTime: number | null
  createdAt: string
  outcome: Outcome
  /** Charged, in USD, as a decimal. */
  cost: string
  /** Stored copies of the media in `output`. */
  media: Array<MediaItem>
  /** The result, once `COMPLETED`. */
  response_url: string
  status_url: string
  /** Cancelled with GET. */
  cancel_url: string
  /**
   * Why no run can begin now: the provider cannot be reached, no worker asks for jobs of the model, or
   * the provider's credential is not configured. Absent otherwise.
   */
  waitingFor?: WaitingFor
  /** The same as a sentence, with the known cause. */
  waitingReason?: string
  /** null until the request has ended. */
  billingStatus: BillingStatus | null
  /** When input, output and files are erased, if the request has ended by then. */
  expiresAt: string
  /** When input, output and files were erased; they are null and empty since then. */
  erasedAt: string | null
  /** As submitted, without the reserved webhook keys; null once erased. */
  input?: unknown
  /** As the model defines it; null without one. */
  output?: unknown
  /** The payloads were requested but exceed the answer: `input` and `output` are null. */
  payloadsOmitted?: true
  billing?: RequestBill
}

export interface TimelineEvent {
  /** Position on the log: opaque and permanent. */
  position: string
  /**
   * What happened, such as `RequestStarted` or `AttemptFailed`. Types may be added: ignore those you
   * do not know.
   */
  type: string
  at: string
  /**
   * Fields of that type, as `docs/apps/timeline.md` lists them; more may be added. That of a webhook
   * delivery has its `deliveryId`.
   */
  data: { [key: string]: unknown }
  chain?: TimelineLink
  state?: TimelineState
}

export interface DeliveryAttempt {
  at: string
  /** The receiver's status; null without an answer. */
  responseStatus: number | null
  /** null while it is under way, and when its end is unknown. */
  durationMs: number | null
  /**
   * `timeout`, `connection_failed`, `tls_error`, `http_<status>`, `redirect_refused`, `gone`,
   * `private_address` or `dns_error`.
   */
  error: string | null
  trigger: "schedule" | "replay" | "recover"
}

export interface WebhookRequest {
  method: "POST"
  url: string
  /**
   * By lower-case name. Timestamp and signature of a past attempt are made again, from its time and
   * the secrets that are valid now.
   */
  headers: { [key: string]: string }
  /** As sent; null if it is omitted. */
  body: string | null
  /** Bytes. */
  bodySize: number
  /** Why there is no body: `erased`, `too_large` (above 64 KiB) or `unreadable`. */
  omitted: "erased" | "too_large" | "not_kept" | "unreadable" | null
}

export interface WebhookResponse {
  status: number
  /** Some of them, such as `content-type`, at most 256 characters each. */
  headers: { [key: string]: string }
  /** The first 1024 bytes; null if they are not text or omitted. */
  body: string | null
  /** Whether the body went on. */
  isTruncated: boolean
  /** Why there are no headers and no body: `not_kept` for a 2xx without a body, or `erased`. */
  omitted: "erased" | "too_large" | "not_kept" | "unreadable" | null
}

export interface UploadedPart {
  partNumber: number
  /** Without quotes. */
  etag: string
  /** Bytes. */
  size: number
}

export interface Part {
  /** 1 to 10000. */
  partNumber: number
  /**
   * The `ETag` of the answer to the PUT; its quotes, and a `W/` before them, are ignored. 1 to 132
   * characters.
   */
  etag: string
}

export interface Pricing {
  unit: Unit
  /** USD, as a decimal. */
  unitPrice: string
  currency: "USD"
  /** The least that a charged run costs, in USD. */
  minimumCharge: string
}

export interface Expected {
  /** Median of recent runs, from start to end; null without enough runs. */
  p50Seconds: number | null
  /** 90th percentile of recent runs; null without enough runs. */
  p90Seconds: number | null
  /** Recent runs behind these figures; 0 without enough. */
  samples: number
  /**
   * The likely wait of a request submitted now; null while no run can begin: the provider cannot be
   * reached, or no worker asks for jobs of the model.
   */
  waitSeconds: number | null
}

/** A curated list. */
export interface Collection {
  slug: string
  name: string
  description: string
}

/** The price of one model or wrapper. */
export interface Price {
  modelEndpoint: string
  unit: Unit
  /** USD, as a decimal. */
  unitPrice: string
  currency: "USD"
  /** The least that a charged run costs, in USD. */
  minimumCharge: string
  /** When the model was last published, with this price. */
  effectiveFrom: string
}

/** A kind of GPU. */
export interface Gpu {
  id: string
  name: string
  manufacturer: string
  memoryGb: number
  /** USD, as a decimal. */
  pricePerHour: string
  currency: "USD"
  availability: "available" | "limited" | "unavailable"
  /** The most GPUs in one deployment. */
  maxCount: number
}

/** An entry of the account's ledger. */
export interface BillingEvent {
  /** Permanent and unique on this log. */
  id: string
  /**
   * `topup`: paid in. `hold`: reserved at submit. `charge`: taken from the hold. `release`: returned
   * at the end of a request. `revert`: returned for an abandoned request.
   */
  type: "topup" | "hold" | "charge" | "release" | "revert"
  /** null for a top-up. */
  requestId: string | null
  /** null for a top-up. */
  modelEndpoint: string | null
  /** USD, positive; `type` says what for. */
  amount: string
  currency: "USD"
  /** The account's balance including reservations: only top-ups and charges change it. */
  balanceAfter: string
  createdAt: string
  /** Of the event on the log, as `inferlog audit` and `inferlog log` show it. */
  position: string
}

/** One reason why a request is invalid. */
export interface Issue {
  /** From the body's root: property names and array indexes; a header or query parameter by its name. */
  path: Array<string | number>
  message: string
  /** The violated rule, as one word. */
  code: string
}

export interface ErrorDetails {
  code: string
  validationErrors?: Array<Violation>
  /** Seconds. */
  retryAfter?: number
  /** The owner of the limit, or the scope that the key lacks. */
  scope?: "account" | "key" | "model" | "node" | "address" | "connection" | "requests:write" | "requests:read" | "files:write" | "files:read" | "webhooks:read" | "webhooks:write" | "billing:read" | "keys:admin"
  /** The most that the request may cost, in USD. */
  required?: string
  /** The account's balance minus its holds, in USD. */
  available?: string
  /**
   * For 413 the limit in bytes of the file or of the account's files; for 429 the number of calls or
   * of concurrent requests; for 402 the key's monthly budget in USD.
   */
  limit?: number | string
  /** The part of the budget that the key has spent or reserved, in USD. */
  spent?: string
  /** When the next month begins. */
  resetsAt?: string
  /** The period of the limit in seconds; null for a limit of concurrent use. */
  window?: number | null
  /** The fields that would grant the key too much. */
  fields?: Array<string>
  /** Bytes of the account's files. */
  used?: number
  /** The file that already has these bytes. */
  fileUrl?: string
  /** Why the parts cannot be completed to a file. */
  reason?: "missing" | "etag_mismatch" | "too_small" | "wrong_size" | "not_named"
  /** The parts that the reason concerns. */
  partNumbers?: Array<number>
  /** The archived segment that cannot be read. */
  segment?: string
  upstream?: UpstreamError
}

/** The result object of a request that a provider has started. */
export interface StartEvent {
  id: string
  /** `{owner}/{model}` */
  modelEndpoint: string
  status: "IN_PROGRESS"
  /** As submitted, without the reserved webhook keys; null once erased. */
  input: unknown
  output: null
  error: string | null
  /** As given in `X-Request-Metadata`. */
  metadata: { [key: string]: string }
  /** Time of the run, in ms; null while unknown. */
  inferenceTime: number | null
  /** From accepted to started, in ms; null while unknown. */
  delayTime: number | null
  createdAt: string
  outcome: Outcome
  /** Charged, in USD, as a decimal. */
  cost: string
  /** Stored copies of the media in `output`. */
  media: Array<MediaItem>
  event: "start"
}

/** The body of the 422: completed without a usable output. Not billed. */
export interface CompletedEventWithoutOutput {
  id: string
  /** `{owner}/{model}` */
  modelEndpoint: string
  status: Status
  /** As submitted, without the reserved webhook keys; null once erased. */
  input: unknown
  /** As the model defines it; null without one. */
  output: unknown
  error: string | null
  details: CompletedEventWithoutOutputDetails
  /** As given in `X-Request-Metadata`. */
  metadata: { [key: string]: string }
  /** Time of the run, in ms; null while unknown. */
  inferenceTime: number | null
  /** From accepted to started, in ms; null while unknown. */
  delayTime: number | null
  createdAt: string
  outcome: Outcome
  /** Charged, in USD, as a decimal. */
  cost: string
  /** Stored copies of the media in `output`. */
  media: Array<MediaItem>
  request_id: string
  event: "completed"
  billingStatus: BillingStatus
}

export interface CompletedEventWithoutOutputDetails {
  code: "INVALID_OUTPUT" | "UPSTREAM_FAILURE"
  validationErrors?: Array<Violation>
  upstream?: UpstreamError
}

/** The result object of a request that has ended, successfully or not: see `outcome`. */
export interface CompletedEvent {
  id: string
  /** `{owner}/{model}` */
  modelEndpoint: string
  status: Status
  /** As submitted, without the reserved webhook keys; null once erased. */
  input: unknown
  /** As the model defines it; null without one. */
  output: unknown
  error: string | null
  details?: FailureDetails
  /** As given in `X-Request-Metadata`. */
  metadata: { [key: string]: string }
  /** Time of the run, in ms; null while unknown. */
  inferenceTime: number | null
  /** From accepted to started, in ms; null while unknown. */
  delayTime: number | null
  createdAt: string
  outcome: Outcome
  /** Charged, in USD, as a decimal. */
  cost: string
  /** Stored copies of the media in `output`. */
  media: Array<MediaItem>
  event: "completed"
  billingStatus: BillingStatus
}

/** The price of the request, and its billing. */
export interface RequestBill {
  unit: Unit
  /** Of one unit, in USD, as a decimal. */
  unitPrice: string
  /** What a charged run costs at least, in USD, as a decimal. */
  minimumCharge: string
  currency: "USD"
  quotedQuantity: string | null
  /** Units that are charged at most, as a decimal. */
  maxQuantity: string
  /** Reserved from submit to the end; the charge never exceeds it, in USD, as a decimal. */
  hold: string
  quantity: string | null
  /** As `cost`, in USD, as a decimal. */
  charged: string
}

/**
 * The event's place in the hash chain of its stream. The request is one stream, and each webhook
 * delivery another.
 */
export interface TimelineLink {
  /** Number of the event in its stream, from 0. */
  ordinal: number
  /** Hash of the event before it in its stream; null for the first. */
  previous: string | null
  /** SHA-256 over that hash and this event, base64url. */
  hash: string
}

/** The request and its deliveries after the event. */
export interface TimelineState {
  status: Status
  outcome: Outcome
  /**
   * More exact than `status`: `claimed` is handed to the provider, `storing` stores the output's
   * files.
   */
  phase: "queued" | "claimed" | "running" | "storing" | "ended"
  /** Number of the latest run; 0 before the first. */
  attempt: number
  /** When a run first started. */
  startedAt: string | null
  /** From when on the next run, or the next try to store the files, may begin; null otherwise. */
  dueAt: string | null
  /** Runs repeated after an error of transport, after their server was gone, and by the sweep. */
  retries: TimelineStateRetries
  /** 0 to 1, as last reported. */
  progress: number | null
  logLines: number
  cancelRequested: boolean
  input: "stored" | "erased"
  /** Whether the log had the output. The request shows it only once it has completed with one. */
  output: "none" | "stored" | "erased"
  /** Where the output breaks the model's schema. */
  violations: number
  /** Stored files of the output. */
  files: number
  /** Held for the request, in USD; `0` once it has ended. */
  hold: string
  /** Charged, in USD. */
  cost: string
  error: string | null
  /** Webhook deliveries scheduled by then. */
  deliveries: Array<DeliveryMoment>
}

/** Runs repeated after an error of transport, after their server was gone, and by the sweep. */
export interface TimelineStateRetries {
  transport: number
  lost: number
  sweep: number
}

export interface DeliveryMoment {
  deliveryId: string
  event: WebhookEventName
  status: DeliveryStatus
  attempts: number
  /** When it is sent next, while it is `pending`. */
  nextAttemptAt: string | null
  lastResponseStatus: number | null
  lastError: string | null
}
