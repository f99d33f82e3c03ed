"""What a program asks of its runner.

A program is a generator. It yields effects, gets back what they gave, or has their error raised at the `yield`, and returns
its value. The sync and the async runner perform the same effects, so that each rule of the protocol is written once.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar, Union

from .sources import Slice

T = TypeVar("T")


@dataclass(frozen=True)
class HttpRequest:
    method: str
    #: Its query may be a credential, and so may headers.
    url: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    body: bytes | Slice | None = field(repr=False)


class Connection(Protocol):
    """An answer whose body has not been read. The runner closes it when the program ends."""

    @property
    def status(self) -> int: ...
    @property
    def headers(self) -> Mapping[str, str]: ...


class Broken(Exception):
    """No whole answer came. `reason` is a word for hooks; the cause is the error of httpx."""

    def __init__(self, reason: str, failure: Exception | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        #: What the caller gets in place of an `UnreachableError`.
        self.failure = failure


class Stopped(BaseException):
    """Ends a program in a thread whose results are not wanted any more."""


@dataclass(frozen=True)
class Open:
    """Sends a request. Gives a `Connection`, or raises `Broken`."""

    request: HttpRequest
    #: The longest silence, in seconds.
    silence: float
    #: Seconds until the head of the answer must be there; `None`: as long as bytes move.
    within: float | None


@dataclass(frozen=True)
class Read:
    """Gives the next bytes of the body, `b""` at its end, or raises `Broken`."""

    connection: Any
    within: float | None


@dataclass(frozen=True)
class Close:
    connection: Any


@dataclass(frozen=True)
class Sleep:
    seconds: float


@dataclass(frozen=True)
class Invoke:
    """Calls a function of the caller. The async runner awaits what it returns, if that can be awaited."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Key:
    """Gives the key; another one if the server has refused `refused`."""

    refused: str | None


@dataclass(frozen=True)
class Blocking:
    """Calls a function that reads a file. The async runner calls it in a thread."""

    function: Callable[[], Any]


@dataclass(frozen=True)
class Together:
    """Runs programs, at most `limit` at once. The first error ends the others."""

    programs: Iterable["Program[Any]"]
    limit: int


@dataclass(frozen=True)
class Emit:
    """Hands an item to whoever iterates."""

    item: Any


Effect = Union[Open, Read, Close, Sleep, Invoke, Key, Blocking, Together, Emit]
Program = Generator[Effect, Any, T]
