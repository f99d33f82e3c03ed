from __future__ import annotations

from collections.abc import Mapping, Sequence

from .._async_session import AsyncPaged, AsyncSession, AsyncStream
from .._protocol import platform, streams
from .._protocol.places import retrieval
from .._protocol.platform import Moment
from ..events import RequestEvent
from ..types import ListedRequest, RetrievedRequest, TimelineEvent


class AsyncRequests(AsyncSession):
    """The requests of the account (docs/apps/history.md)."""

    def list(
        self,
        *,
        status: str | None = None,
        model_endpoint: str | None = None,
        created_after: Moment | None = None,
        created_before: Moment | None = None,
        metadata: Mapping[str, str] | None = None,
        expand: str | Sequence[str] | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> AsyncPaged[ListedRequest]:
        """All that match, newest first. `limit` is the size of a page."""
        filters = (status, model_endpoint, created_after, created_before, metadata, expand, limit)
        return self._list(platform.history(*filters), timeout)

    async def get(self, request_id: str, *, timeout: float | None = None) -> RetrievedRequest:
        """The request in any state."""
        return await self._send(retrieval(request_id), timeout)

    def events(
        self,
        request_id: str,
        *,
        type: str | None = None,
        expand: str | Sequence[str] | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> AsyncPaged[TimelineEvent]:
        """What has happened to the request, oldest first (docs/apps/timeline.md)."""
        return self._list(platform.timeline(request_id, type, expand, limit), timeout)

    async def erase(self, request_id: str, *, timeout: float | None = None) -> None:
        """Erases input, output and files of an ended request."""
        await self._send(platform.erase(request_id), timeout)

    def stream(
        self,
        *,
        request_ids: Sequence[str] | None = None,
        model_endpoint: str | None = None,
        logs: bool = False,
        last_event_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncStream[RequestEvent]:
        """Each change of requests as it happens; ends when all requests of `request_ids` have ended."""
        return self._stream(streams.changes, timeout, request_ids, model_endpoint, logs, last_event_id)
