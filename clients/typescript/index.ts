/** The entry of `@inferlog/client`. */
export { ApiError, type Issue } from "./ApiError.ts"
export type { ClientOptions, Clock, Exchanged, Hooks, Key } from "./ClientOptions.ts"
export * from "./Errors.ts"
export type { DownloadOptions } from "./files/Download.ts"
export type { Uploadable } from "./files/Source.ts"
export type { UploadOptions, UploadRef } from "./files/Upload.ts"
export type { Files } from "./Files.ts"
export { Inferlog } from "./Inferlog.ts"
export {
  DeadlineExceededError,
  InferlogError,
  UnexpectedAnswerError,
  UnreachableError
} from "./InferlogError.ts"
export * from "./OutcomeErrors.ts"
export type { CallOptions } from "./Scope.ts"
export type * from "./Types.ts"
