"""Downloads that go on after a cut, as long as the file is the same (RFC 9110, "If-Range")."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urljoin

from ..errors import ApiError, UnexpectedAnswerError
from .calls import Call
from .core import Core, Scope
from .effects import Broken, Connection, Emit, Program, Read
from .exchange import Attempts, Redirected, failure_of, open_once

#: With MEDIA_DELIVERY=redirect a file's URL leads to its store.
_MOST_REDIRECTS = 5


def download(core: Core, scope: Scope, url: str, offset: int, etag: str | None) -> Program[None]:
    """The bytes from `offset`, as they come. No key is sent."""
    attempts = Attempts(core, scope)
    connection = yield from _open_first(url, attempts, offset, etag)
    if offset > 0 and connection.status != 206:
        raise UnexpectedAnswerError("The file has changed, or the server does not send parts of it: begin at 0")
    # Of an encoded answer neither is about the bytes that come.
    is_encoded = "content-encoding" in connection.headers
    length = connection.headers.get("content-length", "")
    end = offset + int(length) if length.isdigit() and not is_encoded else None
    tag = connection.headers.get("etag", "")
    known = tag if re.fullmatch(r'"[^"]+"', tag) and not is_encoded else None
    at = offset
    while True:
        try:
            while True:
                chunk: bytes = yield Read(connection, scope.left())
                if not chunk:
                    break
                at += len(chunk)
                attempts.begun_anew()
                yield Emit(chunk)
            if end is None or at >= end:
                return
            error: Exception = Broken("cut off")
        except Broken as caught:
            error = caught
        while True:
            yield from attempts.pause(error, repeatable=known is not None)
            try:
                connection = yield from _open(url, attempts, at, known)
                break
            except (ApiError, Broken) as caught:
                error = caught
        if at > 0 and (connection.status != 206 or connection.headers.get("etag") != known):
            # The file is another one by now.
            raise failure_of(error)


def _open_first(url: str, attempts: Attempts, offset: int, etag: str | None) -> Program[Connection]:
    while True:
        try:
            return (yield from _open(url, attempts, offset, etag))
        except (ApiError, Broken) as error:
            yield from attempts.pause(error)


def _open(url: str, attempts: Attempts, at: int, etag: str | None) -> Program[Connection]:
    headers: Mapping[str, str] = {}
    if at > 0:
        headers = {"range": f"bytes={at}-", **({} if etag is None else {"if-range": etag})}
    for _ in range(_MOST_REDIRECTS):
        try:
            return (yield from open_once(Call("GET", url, host="none", headers=headers), attempts))
        except Redirected as redirected:
            url = urljoin(url, redirected.location)
    raise UnexpectedAnswerError("The file's address redirects too often")
