"""The client for programs that are not asynchronous."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

import httpx

from ._protocol import requests, streams
from ._protocol.batches import waiting
from ._protocol.core import Core
from ._protocol.platform import Moment, balance, billing_events, usage
from ._protocol.places import RequestRef
from ._protocol.requests import OnStatus, SubmitOptions
from ._protocol.wire import LIMITS
from ._resources.batches import Batches
from ._resources.catalog import Catalog
from ._resources.files import Files
from ._resources.keys import Keys
from ._resources.requests import Requests
from ._resources.webhooks import Webhooks
from ._runner import Runner
from ._session import Paged, Session, Stream
from .events import OutputEvent
from .options import Clock, Hooks, Key, SystemClock
from .types import (
    Balance,
    BillingEvent,
    CancelledRequestStatus,
    CreatedRequest,
    RequestStatus,
    Result,
    RetrievedRequest,
    Usage,
)


class Inferlog(Session):
    """A client of one account at one server. Threads may share it. Close it, or use it in a `with` statement.

    :param url: Address of the server (its BASE_URL). Default: `INFERLOG_URL` of the environment, or `http://127.0.0.1:8080`.
    :param key: A key or token, or a function that gives one: called at first, and again after a 401. Default:
        `INFERLOG_API_KEY` of the environment; without one, calls have no `Authorization`.
    :param queue_url: Address for requests, where it differs (QUEUE_URL).
    :param http_client: In place of an own one. It is not closed.
    :param headers: Added to all calls of the server, but not to those of presigned URLs and files.
    :param retries: How often an exchange is repeated that failed for now.
    :param timeout: The most that one exchange may take, and the longest silence of a stream, in seconds.
    """

    def __init__(
        self,
        *,
        url: str | None = None,
        key: Key | None = None,
        queue_url: str | None = None,
        http_client: httpx.Client | None = None,
        headers: Mapping[str, str] | None = None,
        retries: int = 5,
        timeout: float = 60.0,
        hooks: Hooks | None = None,
        clock: Clock | None = None,
    ) -> None:
        time = clock or SystemClock()
        core = Core.make(
            url=url,
            queue_url=queue_url,
            renewable=callable(key),
            headers=headers,
            retries=retries,
            timeout=timeout,
            hooks=hooks,
            clock=time,
        )
        self._http = http_client or httpx.Client(limits=LIMITS)
        self._owns_http = http_client is None
        given = key if key is not None else os.environ.get("INFERLOG_API_KEY")
        super().__init__(core, Runner(self._http, time, given))
        self.requests = Requests(core, self._runner)
        self.files = Files(core, self._runner)
        self.webhooks = Webhooks(core, self._runner)
        self.catalog = Catalog(core, self._runner)
        self.keys = Keys(core, self._runner)
        self.batches = Batches(core, self._runner)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(url={self._core.base!r})"

    def __enter__(self) -> "Inferlog":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Closes its connections."""
        if self._owns_http:
            self._http.close()

    def run(
        self,
        model: str,
        input: Mapping[str, Any],
        *,
        webhook: str | None = None,
        webhook_events: Sequence[str] | None = None,
        metadata: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
        start_timeout: float | None = None,
        cancel_after: float | None = None,
        on_status: OnStatus | None = None,
        cancel_on_abort: bool = True,
        timeout: float | None = None,
    ) -> Any:
        """Runs the model, and gives its output. Paths and binary files in the input are uploaded first.

        :param timeout: The most that the call may take, in seconds. The request is then cancelled, as it is when the call is
            interrupted, unless `cancel_on_abort` is false.
        :raises RequestOutcomeError: if the request ends without an output.
        """
        options = waiting(
            webhook=webhook,
            webhook_events=webhook_events,
            metadata=metadata,
            idempotency_key=idempotency_key,
            start_timeout=start_timeout,
            cancel_after=cancel_after,
        )
        return self._run(requests.run, timeout, model, input, options, on_status, cancel_on_abort)

    def submit(
        self,
        model: str,
        input: Mapping[str, Any],
        *,
        webhook: str | None = None,
        webhook_events: Sequence[str] | None = None,
        metadata: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
        start_timeout: float | None = None,
        cancel_after: float | None = None,
        timeout: float | None = None,
    ) -> CreatedRequest:
        """Submits a request, and returns at once. Paths and binary files in the input are uploaded first."""
        options = SubmitOptions(webhook, webhook_events, metadata, idempotency_key, start_timeout, cancel_after)
        return self._run(requests.submit, timeout, model, input, options)

    def wait(
        self, ref: RequestRef, *, on_status: OnStatus | None = None, timeout: float | None = None
    ) -> RetrievedRequest:
        """Waits for the request's end, and gives the whole of it, however it ended."""
        return self._run(requests.wait, timeout, ref, on_status)

    def subscribe(self, ref: RequestRef, *, timeout: float | None = None) -> Stream[RequestStatus]:
        """Each status of the request until it has ended."""
        return self._stream(streams.subscribe, timeout, ref)

    def stream(
        self,
        model: str,
        input: Mapping[str, Any],
        *,
        webhook: str | None = None,
        webhook_events: Sequence[str] | None = None,
        metadata: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
        start_timeout: float | None = None,
        cancel_after: float | None = None,
        cancel_on_disconnect: bool = False,
        timeout: float | None = None,
    ) -> Stream[OutputEvent]:
        """Submits a request, and gives its output as it is made. Goes on after a cut."""
        options = SubmitOptions(webhook, webhook_events, metadata, idempotency_key, start_timeout, cancel_after)
        return self._stream(streams.stream, timeout, model, input, options, cancel_on_disconnect)

    def output(
        self, ref: RequestRef, *, last_event_id: str | None = None, timeout: float | None = None
    ) -> Stream[OutputEvent]:
        """The output of a request as it is made, behind the chunk with the id `last_event_id`."""
        return self._stream(streams.output, timeout, ref, last_event_id)

    def status(self, ref: RequestRef, *, timeout: float | None = None) -> RequestStatus:
        """The status now. That of a failed request is no error."""
        return self._run(requests.status, timeout, ref)

    def result(self, ref: RequestRef, *, timeout: float | None = None) -> Result:
        """The result of a completed request.

        :raises RequestOutcomeError: if the request ended without an output.
        :raises RequestNotCompletedError: if it has not ended.
        """
        return self._run(requests.result, timeout, ref)

    def cancel(self, ref: RequestRef, *, timeout: float | None = None) -> CancelledRequestStatus:
        """Cancels the request. A running one ends once its provider has stopped."""
        return self._run(requests.cancel, timeout, ref)

    def usage(
        self,
        *,
        start: Moment | None = None,
        end: Moment | None = None,
        granularity: str | None = None,
        model_endpoint: str | None = None,
        key_id: str | None = None,
        group_by: str | None = None,
        timeout: float | None = None,
    ) -> Usage:
        """What the account was charged (docs/apps/billing.md)."""
        return self._send(usage(start, end, granularity, model_endpoint, key_id, group_by), timeout)

    def balance(self, *, timeout: float | None = None) -> Balance:
        return self._send(balance(), timeout)

    def billing_events(
        self,
        *,
        type: str | None = None,
        request_id: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Paged[BillingEvent]:
        """The ledger of the account, newest entry first."""
        return self._list(billing_events(type, request_id, limit), timeout)
