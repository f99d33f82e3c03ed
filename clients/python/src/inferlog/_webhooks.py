"""Verifies deliveries (Standard Webhooks, docs/apps/webhooks.md)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import math
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any, Union, cast

from .errors import WebhookVerificationError
from .types import CompletedEvent, CompletedEventWithoutOutput, StartEvent

#: The body of a delivery: `event` says which.
WebhookEvent = Union[StartEvent, CompletedEvent, CompletedEventWithoutOutput]


def _key_of(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_").strip(), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not key:
        raise WebhookVerificationError("malformed_secret", "The secret is not base64 text behind whsec_")
    return key


def _check_time(timestamp: str, tolerance: float, now: float) -> None:
    # Twelve digits are milliseconds.
    if not re.fullmatch("[0-9]{1,11}", timestamp):
        raise WebhookVerificationError("malformed_timestamp", "webhook-timestamp is not Unix time in seconds")
    age = math.floor(now) - int(timestamp)
    if age > tolerance:
        raise WebhookVerificationError("too_old", f"The delivery is {age} s old")
    if -age > tolerance:
        raise WebhookVerificationError("too_new", f"The delivery is {-age} s ahead: do the clocks differ?")


def _bytes_of(text: str) -> bytes:
    """As they came: servers put surrogates in the place of bytes that are no text."""
    return text.encode("utf-8", "surrogateescape")


def verify_webhook(
    body: Union[bytes, bytearray, memoryview, str],
    headers: Mapping[str, str],
    secret: Union[str, Sequence[str]],
    *,
    tolerance: float = 300,
    now: float | None = None,
) -> WebhookEvent:
    """Verifies a delivery, and gives what it says.

    :param body: The bytes as they came, not JSON that was parsed and written again.
    :param headers: Of the request; case does not matter.
    :param secret: The account's secret, or several while one replaces another.
    :param tolerance: How far `webhook-timestamp` may be from `now`, in seconds.
    :param now: Seconds since 1970. Default: the system's time.
    :raises WebhookVerificationError: if it is not a delivery that was signed with the secret within the tolerance.
    """
    if not isinstance(body, (bytes, bytearray, memoryview, str)):
        raise TypeError("The body must be the bytes or the text that came, not what was parsed of it")
    raw = _bytes_of(body) if isinstance(body, str) else bytes(body)
    found = {str(name).lower(): str(value) for name, value in headers.items()}
    for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
        if not found.get(name):
            raise WebhookVerificationError("missing_header", f"The header {name} is missing")
    _check_time(found["webhook-timestamp"], tolerance, time.time() if now is None else now)
    message = _bytes_of(f"{found['webhook-id']}.{found['webhook-timestamp']}.") + raw
    secrets = [secret] if isinstance(secret, str) else list(secret)
    expected = [
        b"v1," + base64.b64encode(hmac.new(_key_of(one), message, hashlib.sha256).digest()) for one in secrets
    ]
    given = [_bytes_of(one) for one in found["webhook-signature"].split(" ")]
    # Compares all, so that the time says nothing about which of them matches.
    matches = [hmac.compare_digest(one, other) for one in expected for other in given]
    if not any(matches):
        raise WebhookVerificationError("no_match", "The delivery is not signed with this secret")
    try:
        event: Any = json.loads(raw)
    except (ValueError, RecursionError):
        raise WebhookVerificationError("malformed_body", "The body is signed, and not JSON") from None
    return cast(WebhookEvent, event)
