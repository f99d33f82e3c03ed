/** The answers to errors of the application services. */
import type { SqlError } from "effect/sql/SqlError"
import type { ReadModelBehind } from "#projections/ReadModelError.ts"
import type { AccountClosed } from "#src/features/accounts/AccountErrors.ts"
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
import type {
  BodyRefused,
  ContentTypeMismatch,
  TooManyUploads,
  UrlRefused
} from "#src/features/media/storage/Reception.ts"
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
import * as FileErrorAnswers from "./FileErrorAnswers.ts"
import * as LimitErrorAnswers from "./LimitErrorAnswers.ts"
import * as ErrorAnswer from "./ErrorAnswer.ts"
import * as WorkerErrorAnswers from "./WorkerErrorAnswers.ts"

export type ServiceError =
  | ErrorAnswer.ErrorAnswer
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
  | ContentTypeMismatch
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

const ofUrl: Record<UrlRefused["reason"], ErrorAnswer.ErrorAnswer> = {
  not_signed: FileErrorAnswers.urlNotSigned,
  signature_mismatch: FileErrorAnswers.signatureMismatch,
  expired: FileErrorAnswers.urlExpired
}

const ofBody: Record<BodyRefused["reason"], ErrorAnswer.ErrorAnswer> = {
  wrong_size: FileErrorAnswers.wrongSize,
  digest_mismatch: FileErrorAnswers.digestMismatch,
  broken_off: ErrorAnswer.brokenOffBody,
  timeout: ErrorAnswer.bodyTimeout
}

type AnswerOf<E> = ErrorAnswer.ErrorAnswer | ((error: E) => ErrorAnswer.ErrorAnswer)

const answers: { readonly [E in ServiceError as E["_tag"]]: AnswerOf<E> } = {
  ErrorAnswer: (errorAnswer) => errorAnswer,
  Unauthorized: ErrorAnswer.unauthorized,
  // A closed account has no keys.
  AccountClosed: ErrorAnswer.unauthorized,
  ModelNotFound: ErrorAnswer.unknownModel,
  NoSuchModel: ErrorAnswer.unknownModel,
  ModelNotGranted: ErrorAnswer.modelNotGranted,
  InvalidInput: ({ issues }) => ErrorAnswer.invalid(issues),
  IdempotencyKeyReused: ErrorAnswer.idempotencyKeyReused,
  EvaluatorBusy: ErrorAnswer.evaluatorBusy,
  QueueFull: LimitErrorAnswers.queueFull,
  InsufficientBalance: ErrorAnswer.insufficientBalance,
  BudgetExceeded: ErrorAnswer.budgetExceeded,
  TooManyOpenRequests: LimitErrorAnswers.tooManyOpenRequests,
  RequestNotFound: ErrorAnswer.unknownRequest,
  RequestForbidden: ErrorAnswer.forbidden,
  RequestNotEnded: ErrorAnswer.requestNotEnded,
  KeyNotFound: ErrorAnswer.unknownKey,
  KeyForbidden: ErrorAnswer.forbidden,
  KeyRevoked: ErrorAnswer.keyRevoked,
  KeyExpired: ErrorAnswer.keyExpired,
  GrantExceeded: ({ fields }) => ErrorAnswer.grantExceeded(fields),
  TooManyKeys: ({ limit }) => ErrorAnswer.tooManyKeys(limit),
  KeysUsedUp: ({ limit }) => ErrorAnswer.keysUsedUp(limit),
  SecretSuperseded: ErrorAnswer.secretSuperseded,
  DeliveryNotFound: ErrorAnswer.unknownDelivery,
  DeliveryForbidden: ErrorAnswer.forbidden,
  DeliveryInProgress: ErrorAnswer.deliveryInProgress,
  BodyErased: ErrorAnswer.deliveryErased,
  SecretsUnreadable: ErrorAnswer.secretsUnreadable,
  FileNotFound: ErrorAnswer.unknownFile,
  FileForbidden: ErrorAnswer.forbidden,
  FileGone: FileErrorAnswers.fileGone,
  FileTooLarge: ({ limit }) => FileErrorAnswers.fileTooLarge(limit),
  QuotaExceeded: FileErrorAnswers.quotaExceeded,
  AlreadyUploaded: ({ fileUrl }) => FileErrorAnswers.uploadCompleted(fileUrl),
  UrlRefused: ({ reason }) => ofUrl[reason],
  ContentTypeMismatch: FileErrorAnswers.contentTypeMismatch,
  BodyRefused: ({ reason }) => ofBody[reason],
  TooManyUploads: ({ retryAfterSeconds }) => FileErrorAnswers.tooManyUploads(retryAfterSeconds),
  LeaseNotFound: WorkerErrorAnswers.unknownLease,
  LeaseLost: WorkerErrorAnswers.leaseLost,
  LeaseUnattended: WorkerErrorAnswers.leaseUnattended,
  ModelNotForWorker: WorkerErrorAnswers.modelNotForWorker,
  TooManyWaiting: WorkerErrorAnswers.tooManyWaiting,
  BlobStoreError: ({ isFull }) => (isFull === true ? FileErrorAnswers.storageFull : ErrorAnswer.unavailable),
  ReadModelBehind: ErrorAnswer.readModelBehind,
  SqlError: ErrorAnswer.unavailable,
  EventStoreError: ({ segment }) =>
    segment === undefined ? ErrorAnswer.unavailable : ErrorAnswer.archiveUnavailable(segment)
}

export const toErrorAnswer = <E extends ServiceError>(error: E): ErrorAnswer.ErrorAnswer => {
  const answer = answers[error._tag] as AnswerOf<E>
  return typeof answer === "function" ? answer(error) : answer
}
