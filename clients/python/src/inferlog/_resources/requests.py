from __future__ import annotations

from collections.abc import Mapping, Sequence

from .._protocol import platform, streams
from .._protocol.places import retrieval
from .._protocol.platform import Moment
from .._session import Paged, Session, Stream
from ..events import RequestEvent
from ..types import ListedRequest, RetrievedRequest, TimelineEvent


class Requests(Session):
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
    ) -> Paged[ListedRequest]:
        """All that match, newest first. `limit` is the size of a page."""
        filters = (status, model_endpoint, created_after, created_before, metadata, expand, limit)
        return self._list(platform.history(*filters), timeout)

    def get(self, request_id: str, *, timeout: float | None = None) -> RetrievedRequest:
        """The request in any state."""
        return self._send(retrieval(request_id), timeout)

    def events(
        self,
        request_id: str,
        *,
        type: str | None = None,
        expand: str | Sequence[str] | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Paged[TimelineEvent]:
        """What has happened to the request, oldest first (docs/apps/timeline.md)."""
        return self._list(platform.timeline(request_id, type, expand, limit), timeout)

    def erase(self, request_id: str, *, timeout: float | None = None) -> None:
        """Erases input, output and files of an ended request."""
        self._send(platform.erase(request_id), timeout)

    def stream(
        self,
        *,
        request_ids: Sequence[str] | None = None,
        model_endpoint: str | None = None,
        logs: bool = False,
        last_event_id: str | None = None,
        timeout: float | None = None,
    ) -> Stream[RequestEvent]:
        """Each change of requests as it happens; ends when all requests of `request_ids` have ended."""
        return self._stream(streams.changes, timeout, request_ids, model_endpoint, logs, last_event_id)
