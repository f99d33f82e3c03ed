"""Decodes answers with an error (docs/reference/errors.md)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timezone
from email.utils import parsedate_to_datetime
from typing import Any

from .. import errors
from ..errors import ApiError, Failure, RequestOutcomeError
from ..types import RetrievedRequest

_BY_STATUS: Mapping[int, type[ApiError]] = {
    400: errors.BadRequestError,
    401: errors.UnauthorizedError,
    402: errors.PaymentRequiredError,
    403: errors.ForbiddenError,
    404: errors.NotFoundError,
    408: errors.RequestTimeoutError,
    409: errors.ConflictError,
    410: errors.GoneError,
    411: errors.LengthRequiredError,
    413: errors.TooLargeError,
    422: errors.UnprocessableError,
    429: errors.TooManyRequestsError,
}


def _class_of(status: int, code: str | None, issues: Sequence[Any]) -> type[ApiError]:
    """The class of the code, if it is one of its status; else that of the status. RATE_LIMITED is a `RateLimitedError`."""
    of_status: type[ApiError] = _BY_STATUS.get(status, errors.ServerError if status >= 500 else ApiError)
    if code is None and status == 400 and issues:
        return errors.InvalidInputError
    if code is None:
        return of_status
    found: type[ApiError] = getattr(errors, "".join(word.capitalize() for word in code.split("_")) + "Error", of_status)
    return found if issubclass(found, (of_status, RequestOutcomeError)) else of_status


@dataclass(frozen=True)
class Answer:
    """An answer of which the whole body has arrived."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def object_of(body: bytes) -> Mapping[str, Any]:
    """The object that a JSON text is, or an empty one."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _message_of(issues: Sequence[Any]) -> str:
    shown = [f"{'.'.join(map(str, issue.get('path', [])))} {issue.get('message', '')}".strip() for issue in issues[:3]]
    rest = len(issues) - len(shown)
    return "; ".join(shown) + (f" and {rest} more" if rest > 0 else "")


def retry_after_of(headers: Mapping[str, str], now: float) -> float | None:
    """`Retry-After` in seconds, from now on; `None` without a usable one."""
    text = headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]{1,9}", text):
        return float(text)
    try:
        at = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return None
    if at.tzinfo is None:
        at = at.replace(tzinfo=timezone.utc)
    return max(0.0, at.timestamp() - now)


def _of_store(answer: Answer) -> tuple[int, Mapping[str, Any]]:
    """What S3 says in XML, in the envelope of inferlog's errors."""
    code = re.search(rb"<Code>([^<]{1,200})<", answer.body)
    message = re.search(rb"<Message>([^<]{1,500})<", answer.body)
    text = message[1].decode("utf-8", "replace") if message else f"The store answered {answer.status}"
    if re.search(rb"expired", answer.body, re.IGNORECASE):
        return 403, {"error": text, "details": {"code": "URL_EXPIRED"}}
    # 400: the store had waited too long for the bytes.
    return 408 if code and code[1] == b"RequestTimeout" else answer.status, {"error": text}


def error_of(answer: Answer, now: float) -> ApiError:
    """The error that an answer is. `now` is the time, for dates in `Retry-After`."""
    status, body = answer.status, object_of(answer.body)
    if re.search(r"\bxml\b", answer.headers.get("content-type", "")):
        status, body = _of_store(answer)
    given = body.get("details")
    details: Mapping[str, Any] = given if isinstance(given, dict) else {}
    code = details.get("code") if isinstance(details.get("code"), str) else None
    error = body.get("error")
    issues: list[Any] = [one for one in error if isinstance(one, dict)] if isinstance(error, list) else []
    message = error if isinstance(error, str) else _message_of(issues)
    failure = Failure(
        message=message or f"The server answered {status}",
        status=status,
        code=code,
        issues=issues,
        details=details,
        request_id=answer.headers.get("x-request-id"),
        retry_after=retry_after_of(answer.headers, now),
    )
    kind = _class_of(status, code, issues)
    if issubclass(kind, RequestOutcomeError):
        request: Any = body if "output" in body else None
        return kind(failure, request)
    return kind(failure)


_ENDINGS: Mapping[str, tuple[type[RequestOutcomeError], int, str, str]] = {
    "failed": (errors.RequestFailedError, 400, "REQUEST_FAILED", "The provider could not run the request"),
    "cancelled": (errors.RequestCancelledError, 400, "REQUEST_CANCELLED", "The request was cancelled"),
    "expired": (
        errors.RequestExpiredError,
        400,
        "REQUEST_CANCELLED",
        "The request did not end in the time it was given",
    ),
    "provider_failed": (errors.UpstreamFailureError, 422, "UPSTREAM_FAILURE", "The provider reports a failure"),
    "invalid_output": (
        errors.InvalidOutputError,
        422,
        "INVALID_OUTPUT",
        "The output does not match the model's schema",
    ),
}


def output_of(request: RetrievedRequest) -> Any:
    """The output of an ended request. Raises a `RequestOutcomeError` for one without, as the result route answers it."""
    ending = _ENDINGS.get(request.get("outcome", ""))
    if ending is None:
        return request.get("output")
    kind, status, code, message = ending
    details: dict[str, Any] = {"code": code, **request.get("details", {})}
    failure = Failure(message=request.get("error") or message, status=status, code=code, details=details)
    raise kind(failure, request)
