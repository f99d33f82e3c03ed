"""The three event streams (docs/apps/streams.md)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..errors import ApiError, UnexpectedAnswerError
from ..events import OutputEvent, RequestEvent
from ..types import RequestStatus
from .calls import Call, given
from .core import Core, Scope
from .effects import Connection, Emit, Program
from .failures import object_of
from .follow import State, follow
from .places import Place, RequestRef, locate, place_of_submitted
from .requests import TERMINAL, SubmitOptions, polled, prepared
from .sse import Block

_EVENTS = {"accept": "text/event-stream", "accept-encoding": "identity"}

#: How many connections in a row may bring nothing before a status is asked for instead.
_SILENT = 3

#: For how long the server holds a status that is asked for, in seconds.
_HELD = 20


def _resuming(last_id: str | None) -> Mapping[str, str]:
    return _EVENTS if last_id is None else {**_EVENTS, "last-event-id": last_id}


def _data_of(block: Block) -> Any:
    try:
        return json.loads(block.data or "")
    except (ValueError, RecursionError):
        raise UnexpectedAnswerError("An event of the stream is not JSON: is it of an inferlog server?") from None


def _no_stream() -> UnexpectedAnswerError:
    return UnexpectedAnswerError("The answer is not an event stream: is it of an inferlog server?")


class _Statuses(State):
    def __init__(self, place: Place) -> None:
        self.ended = False
        self.falls_back = False
        self.shown: RequestStatus | None = None
        self._place = place
        self._silent = 0

    def call(self) -> Call[Any]:
        return self._place.call("/status/stream", headers=_EVENTS)

    def take(self, block: Block) -> Iterable[RequestStatus]:
        if block.data is None:
            return []
        self._silent = 0
        return self.show(_data_of(block))

    def show(self, status: RequestStatus) -> Iterable[RequestStatus]:
        self.ended = status["status"] in TERMINAL
        if status == self.shown:
            return []
        self.shown = status
        return [status]

    def other(self, connection: Connection, body: bytes) -> Iterable[RequestStatus]:
        self.ended = self.falls_back = True
        return []

    def failed(self, error: Exception) -> bool:
        self._silent += 1
        is_refused = isinstance(error, ApiError) and error.status in (429, 503)
        self.falls_back = is_refused or self._silent >= _SILENT
        return self.falls_back


def subscribe(core: Core, scope: Scope, ref: RequestRef) -> Program[None]:
    """Each status until the request has ended. Without a stream to be had, the status is asked for again and again."""
    place = yield from locate(ref, core, scope)
    state = _Statuses(place)
    yield from follow(core, scope, state)
    if not state.falls_back:
        return

    def show(status: RequestStatus) -> Program[None]:
        for shown in state.show(status):
            yield Emit(shown)

    yield from polled(core, scope, place, _HELD, show)


class _Output(State):
    def __init__(self, scope: Scope, submit: Call[Any] | None, place: Place | None, last_id: str | None) -> None:
        self.ended = False
        self._scope = scope
        self._submit = submit
        self._place = place
        self._last_id = last_id

    def call(self) -> Call[Any]:
        if self._place is None and self._submit is not None:
            return self._submit
        assert self._place is not None
        return self._place.call("/output/stream", headers=_resuming(self._last_id))

    def take(self, block: Block) -> Iterable[OutputEvent]:
        if block.data is None:
            return []
        if block.event == "request":
            return self._created(_data_of(block))
        if block.event == "chunk":
            if block.id is not None and block.id == self._last_id:
                return []
            self._last_id = block.id or self._last_id
            return [OutputEvent("chunk", _data_of(block), block.id)]
        if block.event == "restart":
            # The chunks so far do not count, so there is nothing to go on behind.
            self._last_id = None
            return [OutputEvent("restart", _data_of(block))]
        if block.event == "progress":
            return [OutputEvent("progress", _data_of(block))]
        if block.event == "done":
            self.ended = True
            return [OutputEvent("done", _data_of(block))]
        return []

    def _created(self, body: Any) -> Iterable[OutputEvent]:
        if self._place is not None:
            return []
        self._place = place_of_submitted(body)
        self._scope.request_id = self._place.id
        return [OutputEvent("request", body)]

    def other(self, connection: Connection, body: bytes) -> Iterable[OutputEvent]:
        if self._place is not None:
            raise _no_stream()
        return self._created(object_of(body))


def stream(
    core: Core, scope: Scope, model: str, input: Mapping[str, Any], options: SubmitOptions, cancel_on_disconnect: bool
) -> Program[None]:
    """Submits, and gives the output as it is made. The submit is repeated only while it is not known to have been accepted."""
    headers = {**_EVENTS, "cancel-on-disconnect": "true"} if cancel_on_disconnect else _EVENTS
    call = yield from prepared(core, scope, model, input, replace(options, headers=headers))
    yield from follow(core, scope, _Output(scope, call, None, None))


def output(core: Core, scope: Scope, ref: RequestRef, last_event_id: str | None) -> Program[None]:
    place = yield from locate(ref, core, scope)
    yield from follow(core, scope, _Output(scope, None, place, last_event_id))


class _Changes(State):
    def __init__(self, query: Mapping[str, Any], named: Sequence[str] | None, last_id: str | None) -> None:
        self.ended = False
        self._query = query
        self._open = set(named or ())
        self._is_named = bool(named)
        self._last_id = last_id

    def call(self) -> Call[Any]:
        return Call("GET", "/requests/stream", query=self._query, headers=_resuming(self._last_id))

    def take(self, block: Block) -> Iterable[RequestEvent]:
        is_repeated = block.id is not None and block.id == self._last_id
        self._last_id = block.id or self._last_id
        if block.data is None or is_repeated:
            return []
        if block.event == "status":
            data = _data_of(block)
            if data["status"] in TERMINAL:
                self._open.discard(data["request_id"])
                self.ended = self._is_named and not self._open
            return [RequestEvent("status", data, block.id)]
        return [RequestEvent("progress", _data_of(block))] if block.event == "progress" else []

    def other(self, connection: Connection, body: bytes) -> Iterable[RequestEvent]:
        if connection.status != 204:
            raise _no_stream()
        self.ended = True
        return []


def changes(
    core: Core,
    scope: Scope,
    request_ids: Sequence[str] | None,
    model_endpoint: str | None,
    logs: bool,
    last_event_id: str | None,
) -> Program[None]:
    # Without this the server would send the changes of all requests.
    if request_ids is not None and not request_ids:
        return
    query = given(request_id=request_ids, modelEndpoint=model_endpoint, logs="1" if logs else None)
    yield from follow(core, scope, _Changes(query, request_ids, last_event_id))
