/** How the errors of the application services are told to clients. */
import type { Unauthorized } from "#src/accounts/Authentication.ts"
import type {
  RequestForbidden,
  RequestNotFound,
  StorageError,
  SubmitRefused
} from "#src/requests/Requests.ts"
import type { RequestNotEnded } from "#src/retention/Eraser.ts"
import * as Refusal from "./Refusal.ts"

export type ServiceError =
  | Refusal.Refusal
  | Unauthorized
  | SubmitRefused
  | RequestNotFound
  | RequestForbidden
  | RequestNotEnded
  | StorageError

export const toRefusal = (error: ServiceError): Refusal.Refusal => {
  switch (error._tag) {
    case "Refusal":
      return error
    case "Unauthorized":
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
      return Refusal.forbidden
    case "RequestNotEnded":
      return Refusal.requestNotEnded
    case "EventStoreError":
    case "BlobStoreError":
      return Refusal.unavailable
  }
}
