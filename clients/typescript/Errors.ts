/** The errors that a server answers: a class for each status, and under it one for each code (docs/reference/errors.md). */
import { ApiError } from "./ApiError.ts"

export * from "./OutcomeErrors.ts"

export class BadRequestError extends ApiError {}
export class UnauthorizedError extends ApiError {}
export class PaymentRequiredError extends ApiError {}
export class ForbiddenError extends ApiError {}
export class NotFoundError extends ApiError {}
export class RequestTimeoutError extends ApiError {}
export class ConflictError extends ApiError {}
export class GoneError extends ApiError {}
/** Both the status 411 and its one code. */
export class LengthRequiredError extends ApiError {}
export class TooLargeError extends ApiError {}
export class UnprocessableError extends ApiError {}
export class TooManyRequestsError extends ApiError {}
/** 500 and above. */
export class ServerError extends ApiError {}

/** 400 with issues and without a code: the input, a header or a query parameter is not valid. */
export class InvalidInputError extends BadRequestError {}
export class RequestNotCompletedError extends BadRequestError {}
export class PartsRefusedError extends BadRequestError {}
export class SizeMismatchError extends BadRequestError {}
export class DigestMismatchError extends BadRequestError {}
export class UnknownEventIdError extends BadRequestError {}
export class InsufficientBalanceError extends PaymentRequiredError {}
export class BudgetExceededError extends PaymentRequiredError {}
export class MissingScopeError extends ForbiddenError {}
export class ModelNotGrantedError extends ForbiddenError {}
export class OriginNotAllowedError extends ForbiddenError {}
export class TokenNotGrantedError extends ForbiddenError {}
export class UrlExpiredError extends ForbiddenError {}
export class SignatureMismatchError extends ForbiddenError {}
export class UrlNotSignedError extends ForbiddenError {}
export class ContentTypeMismatchError extends ForbiddenError {}
export class GrantExceededError extends ForbiddenError {}
export class SecretSupersededError extends ForbiddenError {}
export class LeaseLostError extends ConflictError {}
export class KeyRevokedError extends ConflictError {}
export class KeyExpiredError extends ConflictError {}
export class TooManyKeysError extends ConflictError {}
export class KeysUsedUpError extends ConflictError {}
export class IdempotencyKeyReusedError extends ConflictError {}
export class RequestNotEndedError extends ConflictError {}
export class DeliveryInProgressError extends ConflictError {}
export class UploadCompletedError extends ConflictError {}
export class PayloadsErasedError extends GoneError {}
export class FileGoneError extends GoneError {}
export class TooManyValuesError extends TooLargeError {}
export class TooComplexError extends TooLargeError {}
export class FileTooLargeError extends TooLargeError {}
export class QuotaExceededError extends TooLargeError {}
export class RateLimitedError extends TooManyRequestsError {}
export class UpstreamRateLimitedError extends TooManyRequestsError {}
export class SigningSecretsUnreadableError extends ServerError {}
export class ArchiveUnavailableError extends ServerError {}
export class ReadModelBehindError extends ServerError {}
export class UnhealthyError extends ServerError {}
export class StorageFullError extends ServerError {}
