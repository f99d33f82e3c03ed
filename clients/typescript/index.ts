/** The entry of `@inferlog/client`. */
export { ApiError, type Issue } from "./ApiError.ts"
export type { ClientOptions, Clock, Exchanged, Hooks, Key } from "./ClientOptions.ts"
export * from "./Errors.ts"
export type { DownloadOptions } from "./files/Download.ts"
export type { Source, Uploadable } from "./files/Source.ts"
export type { UploadOptions, UploadRef } from "./files/Upload.ts"
export type { Files } from "./Files.ts"
export { Inferlog, type UsageQuery } from "./Inferlog.ts"
export {
  DeadlineExceededError,
  InferlogError,
  UnexpectedAnswerError,
  UnreachableError
} from "./InferlogError.ts"
export type { CallOptions } from "./Scope.ts"
export type { AccountEvent, AccountStreamFilter } from "./AccountStream.ts"
export type { BatchItem, BatchOptions } from "./Batches.ts"
export type { Catalog } from "./Catalog.ts"
export type { CurrentStatus, FailedRequestStatus, WaitOptions } from "./Following.ts"
export type { Paged } from "./Iterating.ts"
export type { KeyGrant, Keys, KeysFilter } from "./Keys.ts"
export type { AnyModels, ChunkOf, ModelTypes } from "./Models.ts"
export type { OutputEnd, OutputEvent, StreamOptions } from "./OutputStream.ts"
export type { RequestRef } from "./RequestRef.ts"
export type { Requests, RequestsFilter, TimelineOptions } from "./Requests.ts"
export type { RunOptions } from "./Run.ts"
export type { SubmitOptions } from "./Submitting.ts"
export {
  type VerifyOptions,
  verifyWebhook,
  WebhookVerificationError,
  type WebhookFault
} from "./VerifyWebhook.ts"
export type { RecoverPeriod, Webhooks } from "./Webhooks.ts"
export type * as Wire from "./Wire.ts"
