/** The answers to errors of the application services. */
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

type AnswerOf<E> = Refusal.Refusal | ((error: E) => Refusal.Refusal)

const answers: { readonly [E in ServiceError as E["_tag"]]: AnswerOf<E> } = {
  Refusal: (refusal) => refusal,
  Unauthorized: Refusal.unauthorized,
  // A closed account has no keys.
  AccountClosed: Refusal.unauthorized,
  ModelNotFound: Refusal.unknownModel,
  NoSuchModel: Refusal.unknownModel,
  ModelNotGranted: Refusal.modelNotGranted,
  InvalidInput: ({ issues }) => Refusal.invalid(issues),
  IdempotencyKeyReused: Refusal.idempotencyKeyReused,
  EvaluatorBusy: Refusal.evaluatorBusy,
  QueueFull: LimitRefusals.queueFull,
  InsufficientBalance: Refusal.insufficientBalance,
  BudgetExceeded: Refusal.budgetExceeded,
  TooManyOpenRequests: LimitRefusals.tooManyOpenRequests,
  RequestNotFound: Refusal.unknownRequest,
  RequestForbidden: Refusal.forbidden,
  RequestNotEnded: Refusal.requestNotEnded,
  KeyNotFound: Refusal.unknownKey,
  KeyForbidden: Refusal.forbidden,
  KeyRevoked: Refusal.keyRevoked,
  KeyExpired: Refusal.keyExpired,
  GrantExceeded: ({ fields }) => Refusal.grantExceeded(fields),
  TooManyKeys: ({ limit }) => Refusal.tooManyKeys(limit),
  KeysUsedUp: ({ limit }) => Refusal.keysUsedUp(limit),
  SecretSuperseded: Refusal.secretSuperseded,
  DeliveryNotFound: Refusal.unknownDelivery,
  DeliveryForbidden: Refusal.forbidden,
  DeliveryInProgress: Refusal.deliveryInProgress,
  BodyErased: Refusal.deliveryErased,
  SecretsUnreadable: Refusal.secretsUnreadable,
  FileNotFound: Refusal.unknownFile,
  FileForbidden: Refusal.forbidden,
  FileGone: FileRefusals.fileGone,
  FileTooLarge: ({ limit }) => FileRefusals.fileTooLarge(limit),
  QuotaExceeded: FileRefusals.quotaExceeded,
  AlreadyUploaded: ({ fileUrl }) => FileRefusals.uploadCompleted(fileUrl),
  UrlRefused: ({ reason }) => ofUrl[reason],
  BodyRefused: ({ reason }) => ofBody[reason],
  TooManyUploads: ({ retryAfterSeconds }) => FileRefusals.tooManyUploads(retryAfterSeconds),
  LeaseNotFound: WorkerRefusals.unknownLease,
  LeaseLost: WorkerRefusals.leaseLost,
  LeaseUnattended: WorkerRefusals.leaseUnattended,
  ModelNotForWorker: WorkerRefusals.modelNotForWorker,
  TooManyWaiting: WorkerRefusals.tooManyWaiting,
  BlobStoreError: ({ isFull }) => (isFull === true ? FileRefusals.storageFull : Refusal.unavailable),
  ReadModelBehind: Refusal.readModelBehind,
  SqlError: Refusal.unavailable,
  EventStoreError: Refusal.unavailable
}

export const toRefusal = <E extends ServiceError>(error: E): Refusal.Refusal => {
  const answer = answers[error._tag] as AnswerOf<E>
  return typeof answer === "function" ? answer(error) : answer
}
