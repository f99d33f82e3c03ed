/** How the errors of the application services are told to clients. */
import type { SqlError } from "effect/sql/SqlError"
import type { ReadModelBehind } from "#projections/ReadModelError.ts"
import type { AccountClosed } from "#src/features/accounts/Accounts.ts"
import type { Unauthorized } from "#src/features/accounts/Authentication.ts"
import type {
  GrantExceeded,
  KeyExpired,
  KeyForbidden,
  KeyNotFound,
  KeyRevoked,
  KeysUsedUp,
  SecretSuperseded,
  TooManyKeys
} from "#src/features/accounts/KeyErrors.ts"
import type {
  AlreadyUploaded,
  FileForbidden,
  FileGone,
  FileNotFound,
  FileTooLarge,
  QuotaExceeded
} from "#src/features/media/storage/FileErrors.ts"
import type { BodyRefused, TooManyUploads, UrlRefused } from "#src/features/media/storage/Reception.ts"
import type {
  RequestForbidden,
  RequestNotFound,
  StorageError,
  SubmitRefused
} from "#src/features/requests/Requests.ts"
import type { RequestNotEnded } from "#src/features/retention/Eraser.ts"
import type {
  LeaseLost,
  LeaseNotFound,
  LeaseUnattended,
  ModelNotForWorker,
  NoSuchModel,
  TooManyWaiting
} from "#src/features/providers/workers/WorkerErrors.ts"
import type { SecretsUnreadable } from "#src/features/webhooks/SigningSecrets.ts"
import type {
  BodyErased,
  DeliveryForbidden,
  DeliveryInProgress,
  DeliveryNotFound
} from "#src/features/webhooks/Webhooks.ts"
import * as FileRefusals from "./FileRefusals.ts"
import * as LimitRefusals from "./LimitRefusals.ts"
import * as Refusal from "./Refusal.ts"
import * as WorkerRefusals from "./WorkerRefusals.ts"

export type ServiceError =
  | Refusal.Refusal
  | Unauthorized
  | SubmitRefused
  | RequestNotFound
  | RequestForbidden
  | RequestNotEnded
  | AccountClosed
  | KeyNotFound
  | KeyForbidden
  | KeyRevoked
  | KeyExpired
  | GrantExceeded
  | TooManyKeys
  | KeysUsedUp
  | SecretSuperseded
  | DeliveryNotFound
  | DeliveryForbidden
  | DeliveryInProgress
  | BodyErased
  | SecretsUnreadable
  | FileNotFound
  | FileForbidden
  | FileGone
  | FileTooLarge
  | QuotaExceeded
  | AlreadyUploaded
  | UrlRefused
  | BodyRefused
  | TooManyUploads
  | LeaseNotFound
  | LeaseLost
  | LeaseUnattended
  | NoSuchModel
  | ModelNotForWorker
  | TooManyWaiting
  | ReadModelBehind
  | StorageError
  | SqlError

const ofUrl: Record<UrlRefused["reason"], Refusal.Refusal> = {
  not_signed: FileRefusals.urlNotSigned,
  signature_mismatch: FileRefusals.signatureMismatch,
  expired: FileRefusals.urlExpired,
  content_type_mismatch: FileRefusals.contentTypeMismatch
}

const ofBody: Record<BodyRefused["reason"], Refusal.Refusal> = {
  wrong_size: FileRefusals.wrongSize,
  digest_mismatch: FileRefusals.digestMismatch,
  broken_off: Refusal.brokenOffBody,
  timeout: Refusal.bodyTimeout
}

export const toRefusal = (error: ServiceError): Refusal.Refusal => {
  switch (error._tag) {
    case "Refusal":
      return error
    case "Unauthorized":
    // It has no key any more.
    case "AccountClosed":
      return Refusal.unauthorized
    case "ModelNotFound":
    case "NoSuchModel":
      return Refusal.unknownModel
    case "ModelNotGranted":
      return Refusal.modelNotGranted
    case "InvalidInput":
      return Refusal.invalid(error.issues)
    case "IdempotencyKeyReused":
      return Refusal.idempotencyKeyReused
    case "EvaluatorBusy":
      return Refusal.evaluatorBusy
    case "QueueFull":
      return LimitRefusals.queueFull(error)
    case "InsufficientBalance":
      return Refusal.insufficientBalance(error)
    case "BudgetExceeded":
      return Refusal.budgetExceeded(error)
    case "TooManyOpenRequests":
      return LimitRefusals.tooManyOpenRequests(error)
    case "RequestNotFound":
      return Refusal.unknownRequest
    case "RequestForbidden":
    case "DeliveryForbidden":
    case "KeyForbidden":
    case "FileForbidden":
      return Refusal.forbidden
    case "RequestNotEnded":
      return Refusal.requestNotEnded
    case "KeyNotFound":
      return Refusal.unknownKey
    case "KeyRevoked":
      return Refusal.keyRevoked
    case "KeyExpired":
      return Refusal.keyExpired
    case "GrantExceeded":
      return Refusal.grantExceeded(error.fields)
    case "TooManyKeys":
      return Refusal.tooManyKeys(error.limit)
    case "KeysUsedUp":
      return Refusal.keysUsedUp(error.limit)
    case "SecretSuperseded":
      return Refusal.secretSuperseded
    case "DeliveryNotFound":
      return Refusal.unknownDelivery
    case "DeliveryInProgress":
      return Refusal.deliveryInProgress
    case "BodyErased":
      return Refusal.deliveryErased
    case "SecretsUnreadable":
      return Refusal.secretsUnreadable
    case "FileNotFound":
      return Refusal.unknownFile
    case "FileGone":
      return FileRefusals.fileGone
    case "FileTooLarge":
      return FileRefusals.fileTooLarge(error.limit)
    case "QuotaExceeded":
      return FileRefusals.quotaExceeded(error)
    case "AlreadyUploaded":
      return FileRefusals.uploadCompleted(error.fileUrl)
    case "UrlRefused":
      return ofUrl[error.reason]
    case "BodyRefused":
      return ofBody[error.reason]
    case "TooManyUploads":
      return FileRefusals.tooManyUploads(error.retryAfterSeconds)
    case "LeaseNotFound":
      return WorkerRefusals.unknownLease
    case "LeaseLost":
      return WorkerRefusals.leaseLost
    case "LeaseUnattended":
      return WorkerRefusals.leaseUnattended
    case "ModelNotForWorker":
      return WorkerRefusals.modelNotForWorker
    case "TooManyWaiting":
      return WorkerRefusals.tooManyWaiting
    case "BlobStoreError":
      return error.isFull === true ? FileRefusals.storageFull : Refusal.unavailable
    case "ReadModelBehind":
      return Refusal.readModelBehind
    case "SqlError":
    case "EventStoreError":
      return Refusal.unavailable
  }
}
