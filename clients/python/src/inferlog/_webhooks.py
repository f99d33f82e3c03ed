"""Verifies deliveries (Standard Webhooks, docs/apps/webhooks.md)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
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
        key = base64.b64decode(secret.strip().removeprefix("whsec_"), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not key:
        raise WebhookVerificationError("secret", "The secret is not whsec_ and base64 text")
    return key


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
    found = {str(name).lower(): str(value) for name, value in headers.items()}
    id, at, signatures = (found.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not (id and at and signatures):
        raise WebhookVerificationError("headers", "webhook-id, webhook-timestamp or webhook-signature is missing")
    if not re.fullmatch("[0-9]{1,12}", at):
        raise WebhookVerificationError("timestamp", "webhook-timestamp is not a number of seconds")
    raw = body.encode() if isinstance(body, str) else bytes(body)
    message = f"{id}.{at}.".encode() + raw
    secrets = [secret] if isinstance(secret, str) else list(secret)
    expected = [
        b"v1," + base64.b64encode(hmac.new(_key_of(one), message, hashlib.sha256).digest()) for one in secrets
    ]
    given = [one.encode() for one in signatures.split()]
    # Compares all, so that the time says nothing about which of them matches.
    matches = [hmac.compare_digest(one, other) for one in expected for other in given]
    if not any(matches):
        raise WebhookVerificationError("signature", "No signature is of this secret and these bytes")
    if abs((time.time() if now is None else now) - int(at)) > tolerance:
        raise WebhookVerificationError("timestamp", "The delivery is too old, or the clocks differ")
    try:
        event: Any = json.loads(raw)
    except (ValueError, RecursionError):
        event = None
    if not isinstance(event, dict):
        raise WebhookVerificationError("body", "The body is not a JSON object")
    return cast(WebhookEvent, event)
