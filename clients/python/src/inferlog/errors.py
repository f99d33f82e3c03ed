"""Errors of this package. Every one is an `InferlogError`.

An answer with an error is an `ApiError`: there is a class for each HTTP status, and under it one for each `details.code`
(docs/reference/errors.md). How a request can end without an output is a `RequestOutcomeError`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from .types import Issue, RetrievedRequest


class InferlogError(Exception):
    """Every error of this package."""


class UnreachableError(InferlogError):
    """No whole answer came, after all attempts. `__cause__` is what the last one failed with."""


class DeadlineExceededError(InferlogError):
    """The call did not end within its `timeout`."""

    #: The id of the request that the call made or followed, if it was known.
    request_id: str | None

    def __init__(self, timeout: float, request_id: str | None = None) -> None:
        super().__init__(f"The call did not end within {timeout:g} s")
        self._timeout = timeout
        self.request_id = request_id

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._timeout, self.request_id)


class UnexpectedAnswerError(InferlogError):
    """The answer is not one of an inferlog server: a proxy, a redirect, or another service."""


#: Which check of a delivery failed.
WebhookFault = Literal[
    "missing_header", "malformed_timestamp", "too_old", "too_new", "malformed_secret", "no_match", "malformed_body"
]


class WebhookVerificationError(InferlogError):
    """The call is not one of the server's deliveries, or its secret is another one. Answer it with 400."""

    reason: WebhookFault

    def __init__(self, reason: WebhookFault, message: str) -> None:
        super().__init__(message)
        self.reason = reason

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.reason, str(self))


@dataclass(frozen=True)
class Failure:
    """What an answer with an error says."""

    message: str
    status: int
    code: str | None = None
    issues: Sequence[Issue] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    request_id: str | None = None
    retry_after: float | None = None


class ApiError(InferlogError):
    """The server refused a call, or could not answer it."""

    #: The HTTP status.
    status: int
    #: What is wrong, for people. It never repeats a key or an input.
    message: str
    #: `details.code` of the answer, such as `RATE_LIMITED`.
    code: str | None
    #: The parts of an input, header or query that the server refuses.
    issues: Sequence[Issue]
    details: Mapping[str, Any]
    #: The id of the exchange, which the server's log has too. It is not the id of a request.
    request_id: str | None
    #: How long the server asks to wait, in seconds.
    retry_after: float | None

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self._failure = failure
        self.status = failure.status
        self.message = failure.message
        self.code = failure.code
        self.issues = failure.issues
        self.details = failure.details
        self.request_id = failure.request_id
        self.retry_after = failure.retry_after

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._failure,)


class BadRequestError(ApiError): ...
class UnauthorizedError(ApiError): ...
class PaymentRequiredError(ApiError): ...
class ForbiddenError(ApiError): ...
class NotFoundError(ApiError): ...
class RequestTimeoutError(ApiError): ...
class ConflictError(ApiError): ...
class GoneError(ApiError): ...


class LengthRequiredError(ApiError):
    """Both the status 411 and its one code."""


class TooLargeError(ApiError): ...
class UnprocessableError(ApiError): ...
class TooManyRequestsError(ApiError): ...


class ServerError(ApiError):
    """500 and above."""


class InvalidInputError(BadRequestError):
    """400 with issues and without a code: the input, a header or a query parameter is not valid."""


class RequestNotCompletedError(BadRequestError): ...
class PartsRefusedError(BadRequestError): ...
class SizeMismatchError(BadRequestError): ...
class DigestMismatchError(BadRequestError): ...
class UnknownEventIdError(BadRequestError): ...
class InsufficientBalanceError(PaymentRequiredError): ...
class BudgetExceededError(PaymentRequiredError): ...
class MissingScopeError(ForbiddenError): ...
class ModelNotGrantedError(ForbiddenError): ...
class OriginNotAllowedError(ForbiddenError): ...
class TokenNotGrantedError(ForbiddenError): ...
class UrlExpiredError(ForbiddenError): ...
class SignatureMismatchError(ForbiddenError): ...
class UrlNotSignedError(ForbiddenError): ...
class ContentTypeMismatchError(ForbiddenError): ...
class GrantExceededError(ForbiddenError): ...
class SecretSupersededError(ForbiddenError): ...
class LeaseLostError(ConflictError): ...
class KeyRevokedError(ConflictError): ...
class KeyExpiredError(ConflictError): ...
class TooManyKeysError(ConflictError): ...
class KeysUsedUpError(ConflictError): ...
class IdempotencyKeyReusedError(ConflictError): ...
class RequestNotEndedError(ConflictError): ...
class DeliveryInProgressError(ConflictError): ...
class UploadCompletedError(ConflictError): ...
class PayloadsErasedError(GoneError): ...
class FileGoneError(GoneError): ...
class TooManyValuesError(TooLargeError): ...
class TooComplexError(TooLargeError): ...
class FileTooLargeError(TooLargeError): ...
class QuotaExceededError(TooLargeError): ...
class RateLimitedError(TooManyRequestsError): ...
class UpstreamRateLimitedError(TooManyRequestsError): ...
class SigningSecretsUnreadableError(ServerError): ...
class ArchiveUnavailableError(ServerError): ...
class ReadModelBehindError(ServerError): ...
class UnhealthyError(ServerError): ...
class StorageFullError(ServerError): ...


class RequestOutcomeError(ApiError):
    """The request ended without an output. `status` and `code` are those of the result route."""

    #: The ended request; `None` where the answer does not have it.
    request: RetrievedRequest | None

    def __init__(self, failure: Failure, request: RetrievedRequest | None = None) -> None:
        super().__init__(failure)
        self.request = request

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._failure, self.request)


class RequestFailedError(RequestOutcomeError):
    """The provider could not run it."""


class UpstreamFailureError(RequestOutcomeError):
    """The provider ran it and reports a failure."""


class InvalidOutputError(RequestOutcomeError):
    """The output violates the model's schema. `details["validationErrors"]` lists each violation, where the answer has them."""


class RequestCancelledError(RequestOutcomeError):
    """Somebody cancelled it."""


class RequestExpiredError(RequestCancelledError):
    """It did not start or end within the time that the submit allowed (`start_timeout`, `cancel_after`)."""
