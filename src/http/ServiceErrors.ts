/** How the errors of the application services are told to clients. */
import type { SqlError } from "effect/sql/SqlError"
import type { AccountClosed } from "#src/accounts/Accounts.ts"
import type { Unauthorized } from "#src/accounts/Authentication.ts"
import type {
  AlreadyUploaded,
  FileForbidden,
  FileGone,
  FileNotFound,
  FileTooLarge,
  QuotaExceeded
} from "#src/files/FileErrors.ts"
import type { BodyRefused, TooManyUploads, UrlRefused } from "#src/files/Reception.ts"
import type {
  RequestForbidden,
  RequestNotFound,
  StorageError,
  SubmitRefused
} from "#src/requests/Requests.ts"
import type { RequestNotEnded } from "#src/retention/Eraser.ts"
import type { SecretsUnreadable, TooManySecrets } from "#src/webhooks/SigningSecrets.ts"
import type {
  BodyErased,
  DeliveryForbidden,
  DeliveryInProgress,
  DeliveryNotFound
} from "#src/webhooks/Webhooks.ts"
import * as Refusal from "./Refusal.ts"

export type ServiceError =
  | Refusal.Refusal
  | Unauthorized
  | SubmitRefused
  | RequestNotFound
  | RequestForbidden
  | RequestNotEnded
  | AccountClosed
  | DeliveryNotFound
  | DeliveryForbidden
  | DeliveryInProgress
  | BodyErased
  | TooManySecrets
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
  | StorageError
  | SqlError

const ofUrl: Record<UrlRefused["reason"], Refusal.Refusal> = {
  not_signed: Refusal.urlNotSigned,
  signature_mismatch: Refusal.signatureMismatch,
  expired: Refusal.urlExpired,
  content_type_mismatch: Refusal.contentTypeMismatch
}

const ofBody: Record<BodyRefused["reason"], Refusal.Refusal> = {
  wrong_size: Refusal.wrongSize,
  digest_mismatch: Refusal.digestMismatch,
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
      return Refusal.unknownModel
    case "InvalidInput":
      return Refusal.invalid(error.issues)
    case "IdempotencyKeyReused":
      return Refusal.idempotencyKeyReused
    case "QueueFull":
      return Refusal.rateLimited({ scope: "model", retryAfterSeconds: error.retryAfterSeconds })
    case "InsufficientBalance":
      return Refusal.insufficientBalance(error)
    case "TooManyOpenRequests":
      return Refusal.rateLimited({ scope: "account", retryAfterSeconds: error.retryAfterSeconds })
    case "RequestNotFound":
      return Refusal.unknownRequest
    case "RequestForbidden":
    case "DeliveryForbidden":
    case "FileForbidden":
      return Refusal.forbidden
    case "RequestNotEnded":
      return Refusal.requestNotEnded
    case "DeliveryNotFound":
      return Refusal.unknownDelivery
    case "DeliveryInProgress":
      return Refusal.deliveryInProgress
    case "BodyErased":
      return Refusal.deliveryErased
    case "TooManySecrets":
      return Refusal.tooManySecrets
    case "SecretsUnreadable":
      return Refusal.secretsUnreadable
    case "FileNotFound":
      return Refusal.unknownFile
    case "FileGone":
      return Refusal.fileGone
    case "FileTooLarge":
      return Refusal.fileTooLarge(error.limit)
    case "QuotaExceeded":
      return Refusal.quotaExceeded(error)
    case "AlreadyUploaded":
      return Refusal.uploadCompleted(error.fileUrl)
    case "UrlRefused":
      return ofUrl[error.reason]
    case "BodyRefused":
      return ofBody[error.reason]
    case "TooManyUploads":
      return Refusal.tooManyUploads(error.retryAfterSeconds)
    case "BlobStoreError":
      return error.isFull === true ? Refusal.storageFull : Refusal.unavailable
    case "SqlError":
    case "EventStoreError":
      return Refusal.unavailable
  }
}
