"""What a client and its calls can be given."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypedDict, Union

from ._wire import RequestStatus

#: A key or token, or a function that gives one: called at first, and again after a 401.
Key = Union[str, Callable[[], Union[str, None]]]
#: The same for `AsyncInferlog`, where the function may be a coroutine function.
AsyncKey = Union[str, Callable[[], Union[str, None, Awaitable[Union[str, None]]]]]


@dataclass(frozen=True)
class Exchange:
    """One attempt of a call."""

    method: str
    #: Without the query if that is a credential, as in presigned URLs.
    url: str
    #: From 1.
    attempt: int


@dataclass(frozen=True)
class Answered(Exchange):
    """An attempt of which status and headers are there."""

    status: int
    #: Seconds.
    duration: float
    #: The id of the exchange, as in the server's log.
    request_id: str | None


@dataclass(frozen=True)
class Failed(Exchange):
    """An attempt that is repeated after a pause."""

    #: Seconds.
    delay: float
    #: The status, or a word for what broke.
    reason: str


@dataclass(frozen=True)
class Hooks:
    """Functions for tracing and logs. What they raise is ignored. For `AsyncInferlog` they may be coroutine functions."""

    #: Before an attempt. What it returns is added to the headers, such as `traceparent`.
    request: Callable[[Exchange], Mapping[str, str] | None | Awaitable[Mapping[str, str] | None]] | None = None
    #: When status and headers of an answer are there.
    response: Callable[[Answered], None | Awaitable[None]] | None = None
    #: Before the pause after a failed attempt.
    retry: Callable[[Failed], None | Awaitable[None]] | None = None


class Time(Protocol):
    """Time, for tests that cannot wait. The time limits of httpx do not go through it."""

    def now(self) -> float:
        """Seconds since 1970."""

    def monotonic(self) -> float:
        """Seconds that no change of the system's time affects, for deadlines."""


class Clock(Time, Protocol):
    def sleep(self, seconds: float) -> None: ...


class AsyncClock(Time, Protocol):
    async def sleep(self, seconds: float) -> None: ...


class _SystemTime:
    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()


class SystemClock(_SystemTime):
    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


class AsyncSystemClock(_SystemTime):
    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class _SubmitOptions(TypedDict, total=False):
    """Options of a submit."""

    webhook: str | None
    webhook_events: Sequence[str] | None
    metadata: Mapping[str, str] | None
    idempotency_key: str | None
    #: Seconds.
    start_timeout: float | None
    #: Seconds.
    cancel_after: float | None
    #: Seconds that the whole call may take.
    timeout: float | None


class RunOptions(_SubmitOptions, total=False):
    """What `run` takes by keyword, for functions that pass it on: `**options: Unpack[RunOptions]`."""

    on_status: Callable[[RequestStatus], Any] | None
    cancel_on_abort: bool


class StreamOptions(_SubmitOptions, total=False):
    """What `stream` takes by keyword."""

    cancel_on_disconnect: bool
