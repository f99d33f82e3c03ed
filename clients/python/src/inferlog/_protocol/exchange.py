"""Exchanges with the server: keys, time limits, retries, hooks, and errors as their classes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..errors import ApiError, UnexpectedAnswerError, UnreachableError
from ..options import Answered, Exchange, Failed
from .calls import Call, T
from .core import Core, Scope
from .effects import Broken, Close, Connection, HttpRequest, Invoke, Key, Open, Program, Read, Sleep
from .failures import Answer, error_of, object_of
from .sources import Slice

#: The longest pause that a server may ask for, in seconds. Beyond it the caller gets the error at once.
_LONGEST_PAUSE = 60.0

_PASSING = frozenset((408, 425, 429, 500, 502, 503, 504))

_AGENT = "inferlog-python/0.1.0"


def _may_pass(error: Exception, repeatable: bool) -> bool:
    if isinstance(error, Broken):
        return repeatable
    return (
        isinstance(error, ApiError)
        and error.status in _PASSING
        and error.code != "SIGNING_SECRETS_UNREADABLE"
        # The server has done nothing if it answers so.
        and (repeatable or error.status in (429, 503))
    )


def failure_of(error: Exception) -> Exception:
    """The error that a caller gets."""
    if not isinstance(error, Broken):
        return error
    failure = error.failure or UnreachableError(f"No whole answer came: {error.reason}")
    failure.__cause__ = error.__cause__
    return failure


class Redirected(Exception):
    """An answer that leads elsewhere. Only downloads follow it, because they carry no key."""

    def __init__(self, location: str) -> None:
        super().__init__(location)
        self.location = location


class Attempts:
    """Counts the attempts of one call, and pauses between them."""

    def __init__(self, core: Core, scope: Scope) -> None:
        self.core = core
        self.scope = scope
        #: The number of the attempt under way, from 1, for hooks.
        self.number = 1
        #: The least pause that a stream asked for (`retry:`), in seconds.
        self.retry: float | None = None
        #: How many attempts in a row have failed.
        self.failed = 0
        self._sent = ("GET", "")

    def begun_anew(self) -> None:
        """A stream has brought something: what failed before does not count any more."""
        self.failed = 0

    def sent(self, method: str, url: str) -> Exchange:
        self._sent = (method, url)
        return Exchange(method, url, self.number)

    def pause(self, error: Exception, repeatable: bool = True) -> Program[None]:
        """Pauses before the next attempt, or raises the error that ends the call."""
        self.scope.left()
        if not _may_pass(error, repeatable) or self.failed >= self.core.retries:
            raise failure_of(error) from error.__cause__
        spread = min(30.0, 0.5 * 2**self.failed)
        asked = error.retry_after if isinstance(error, ApiError) else self.retry
        if asked is not None and asked > _LONGEST_PAUSE:
            raise failure_of(error) from error.__cause__
        delay = (spread / 2 if asked is None else asked) + self.core.random() * spread / 2
        left = self.scope.left()
        if left is not None and delay >= left:
            raise self.scope.exceeded() from failure_of(error)
        method, url = self._sent
        reason = error.reason if isinstance(error, Broken) else str(getattr(error, "status", ""))
        yield from hook(self.core.hooks.retry, Failed(method, url, self.number, delay, reason))
        self.failed += 1
        self.number += 1
        yield Sleep(delay)
        self.scope.left()


def hook(function: Any, told: Exchange) -> Program[Any]:
    """What a hook returns; `None` if it raises."""
    if function is None:
        return None
    try:
        return (yield Invoke(function, (told,)))
    except Exception:
        return None


def open_once(call: Call[Any], attempts: Attempts) -> Program[Connection]:
    """One attempt, and another one with a new key after a 401. Raises `Broken`, or the error that the answer is."""
    core, scope = attempts.core, attempts.scope
    refused: str | None = None
    while True:
        key: str | None = None
        if call.host != "none":
            key = yield Key(refused)
        try:
            return (yield from _exchange(call, attempts, key))
        except ApiError as error:
            if error.status != 401 or refused is not None or key is None or not core.renewable:
                raise
            refused = key
            attempts.number += 1
            scope.left()


def _exchange(call: Call[Any], attempts: Attempts, key: str | None) -> Program[Connection]:
    core, scope = attempts.core, attempts.scope
    url = call.url(core)
    told = attempts.sent(call.method, url.split("?")[0] if call.host == "none" else url)
    headers = yield from _headers(call, core, told, key)
    begun = core.clock.monotonic()
    # A body may take as long as its bytes move.
    within = None if isinstance(call.body, Slice) else core.timeout + call.held
    connection: Connection = yield Open(
        HttpRequest(call.method, url, headers, call.body), core.timeout + call.held, _least(within, scope.left())
    )
    status = connection.status
    took = core.clock.monotonic() - begun
    yield from hook(
        core.hooks.response,
        Answered(told.method, told.url, told.attempt, status, took, connection.headers.get("x-request-id")),
    )
    if 200 <= status < 300:
        return connection
    if status < 400:
        yield Close(connection)
        if call.host == "none":
            raise Redirected(connection.headers.get("location", ""))
        raise UnexpectedAnswerError("The server redirects: give its own address as url")
    body = yield from read_all(connection, attempts)
    if call.accepts is not None and call.accepts(object_of(body)):
        return _Accepted(status, connection.headers, body)
    raise error_of(Answer(status, connection.headers, body), core.clock.now())


class _Accepted:
    """An answer with an error's status that is an answer all the same. Its body has been read."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body


def _headers(call: Call[Any], core: Core, told: Exchange, key: str | None) -> Program[dict[str, str]]:
    traced = yield from hook(core.hooks.request, told)
    headers = {"accept": "application/json", "accept-encoding": "gzip", "user-agent": _AGENT}
    if call.host == "none":
        headers = {"accept": "*/*", "accept-encoding": "identity", "user-agent": _AGENT}
    else:
        for more in (core.headers, traced if isinstance(traced, Mapping) else {}):
            headers.update({name.lower(): value for name, value in more.items()})
        if key is not None:
            headers["authorization"] = f"Key {key}"
    headers.update(call.headers)
    if isinstance(call.body, Slice):
        headers["content-length"] = str(call.body.length)
    elif call.body is None and call.method in ("POST", "PUT"):
        headers["content-length"] = "0"
    return headers


def _least(*times: float | None) -> float | None:
    known = [time for time in times if time is not None]
    return min(known) if known else None


def read_all(connection: Connection, attempts: Attempts) -> Program[bytes]:
    """The whole body, within the time of one exchange. Closes the connection."""
    if isinstance(connection, _Accepted):
        return connection.body
    core, scope = attempts.core, attempts.scope
    until = core.clock.monotonic() + core.timeout
    pieces: list[bytes] = []
    while True:
        left = until - core.clock.monotonic()
        if left <= 0:
            yield Close(connection)
            raise Broken("timeout")
        piece: bytes = yield Read(connection, _least(left, scope.left()))
        if not piece:
            yield Close(connection)
            return b"".join(pieces)
        pieces.append(piece)


def send(call: Call[Any], core: Core, scope: Scope, attempts: Attempts | None = None) -> Program[Answer]:
    """A call with its retries."""
    attempts = attempts or Attempts(core, scope)
    while True:
        try:
            connection = yield from open_once(call, attempts)
            body = yield from read_all(connection, attempts)
            return Answer(connection.status, connection.headers, body)
        except (ApiError, Broken) as error:
            yield from attempts.pause(error, call.repeatable)


def send_json(call: Call[T], core: Core, scope: Scope, attempts: Attempts | None = None) -> Program[T]:
    """The JSON of the answer; `None` without a body."""
    attempts = attempts or Attempts(core, scope)
    while True:
        answer = yield from send(call, core, scope, attempts)
        if answer.status == 204 and not answer.body:
            return None  # type: ignore[return-value]
        try:
            return json.loads(answer.body)  # type: ignore[no-any-return]
        except (ValueError, RecursionError):
            failure = UnexpectedAnswerError("The answer is not JSON: is it of an inferlog server?")
            if "json" not in answer.headers.get("content-type", ""):
                raise failure from None
            # Where nothing announces its length, an answer that was cut off looks whole.
            yield from attempts.pause(Broken("cut off", failure), call.repeatable)
