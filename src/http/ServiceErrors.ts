/** How the errors of the application services are told to clients. */
import type { SqlError } from "effect/sql/SqlError"
import type { AccountClosed } from "#src/accounts/Accounts.ts"
import type { Unauthorized } from "#src/accounts/Authentication.ts"
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
  | StorageError
  | SqlError

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
    case "SqlError":
    case "EventStoreError":
    case "BlobStoreError":
      return Refusal.unavailable
  }
}
