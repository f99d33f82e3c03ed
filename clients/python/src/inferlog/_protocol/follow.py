"""Follows event streams: opens one, hands on what it brings, and opens the next where it broke off."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from ..errors import ApiError
from .calls import Call
from .core import Core, Scope
from .effects import Broken, Close, Connection, Emit, Program, Read
from .exchange import Attempts, open_once, read_all
from .sse import Block, Events


class State(Protocol):
    """What is known of a stream."""

    #: Whether there is nothing more to come.
    ended: bool

    def call(self) -> Call[Any]:
        """The call that opens the stream, or goes on where it broke off."""

    def take(self, block: Block) -> Iterable[Any]:
        """The items that an event is."""

    def other(self, connection: Connection, body: bytes) -> Iterable[Any]:
        """The items that an answer is which is no event stream."""

    def failed(self, error: Exception) -> bool:
        """Whether to go on otherwise than by opening the stream again."""
        return False


def follow(core: Core, scope: Scope, state: State) -> Program[None]:
    attempts = Attempts(core, scope)
    while True:
        try:
            connection = yield from open_once(state.call(), attempts)
            if _is_event_stream(connection):
                yield from _events(core, scope, state, connection, attempts)
            else:
                for item in state.other(connection, (yield from read_all(connection, attempts))):
                    yield Emit(item)
                attempts.begun_anew()
                if not state.ended:
                    continue
            if state.ended:
                return
            error: Exception = Broken("ended early")
        except (ApiError, Broken) as caught:
            error = caught
        scope.left()
        if state.failed(error):
            return
        yield from attempts.pause(error)


def _is_event_stream(connection: Connection) -> bool:
    return connection.headers.get("content-type", "").split(";")[0].strip().lower() == "text/event-stream"


def _events(core: Core, scope: Scope, state: State, connection: Connection, attempts: Attempts) -> Program[None]:
    events = Events()
    while True:
        chunk: bytes = yield Read(connection, scope.left())
        if not chunk:
            yield Close(connection)
            return
        for block in events.feed(chunk):
            if block.retry is not None:
                attempts.retry = block.retry
            if block.data is not None:
                attempts.begun_anew()
            for item in state.take(block):
                yield Emit(item)
            if state.ended:
                yield Close(connection)
                return
