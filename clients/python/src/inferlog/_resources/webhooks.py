from __future__ import annotations

from collections.abc import Mapping, Sequence

from .. import _webhooks
from .._protocol import platform
from .._protocol.platform import Moment
from .._session import Paged, Session
from .._webhooks import WebhookEvent
from ..types import (
    Delivery,
    DetailedAttempt,
    DetailedDelivery,
    Recovery,
    RotatedSigningSecret,
    SigningSecret,
    WebhookTest,
)


class Webhooks(Session):
    """Deliveries and their signatures (docs/apps/webhooks.md)."""

    def verify(
        self,
        body: bytes | bytearray | memoryview | str,
        headers: Mapping[str, str],
        secret: str | Sequence[str],
        *,
        tolerance: float = 300,
        now: float | None = None,
    ) -> WebhookEvent:
        """As `verify_webhook`."""
        at = self._core.clock.now() if now is None else now
        return _webhooks.verify_webhook(body, headers, secret, tolerance=tolerance, now=at)

    def deliveries(
        self,
        *,
        request_id: str | None = None,
        status: str | None = None,
        event: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Paged[Delivery]:
        return self._list(platform.deliveries(request_id, status, event, limit), timeout)

    def delivery(self, delivery_id: str, *, timeout: float | None = None) -> DetailedDelivery:
        return self._send(platform.delivery(delivery_id), timeout)

    def attempt(self, delivery_id: str, number: int, *, timeout: float | None = None) -> DetailedAttempt:
        """An attempt as it was sent, from 1."""
        return self._send(platform.attempt(delivery_id, number), timeout)

    def replay(self, delivery_id: str, *, timeout: float | None = None) -> Delivery:
        return self._send(platform.replay(delivery_id), timeout)

    def recover(
        self, *, since: Moment, until: Moment | None = None, preview: bool = False, timeout: float | None = None
    ) -> Recovery:
        """Sends failed deliveries again that were created in a period; with `preview` it only counts them."""
        return self._send(platform.recover(since, until, preview), timeout)

    def secret(self, *, timeout: float | None = None) -> SigningSecret:
        return self._send(platform.signing_secret(), timeout)

    def rotate_secret(self, *, grace: float | None = None, timeout: float | None = None) -> RotatedSigningSecret:
        """`grace`: how long previous secrets stay valid, in seconds."""
        return self._send(platform.rotate_signing_secret(grace), timeout)

    def test(self, url: str, *, event: str | None = None, timeout: float | None = None) -> WebhookTest:
        """Sends a sample to a URL."""
        return self._send(platform.test_webhook(url, event), timeout)
