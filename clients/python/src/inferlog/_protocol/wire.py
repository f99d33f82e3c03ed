"""What both runners need of httpx, versions 0.23 to 0.28."""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterable
from typing import Union

import httpx

from .effects import Broken, Open

#: Seconds to wait for a connection.
_CONNECT = 10.0

#: Streams hold a connection each, so their number is not limited here but by the server.
LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=20, keepalive_expiry=30.0)

#: What is no answer. `InvalidURL` and errors of our own making are not among them.
BROKEN = (httpx.TransportError, httpx.DecodingError, httpx.StreamError)

Content = Union[bytes, Iterable[bytes], AsyncIterable[bytes], None]


class NoAuth(httpx.Auth):
    """Keeps httpx from adding credentials of its own, such as those in .netrc, to presigned URLs."""


NO_AUTH = NoAuth()


def request_of(effect: Open, content: Content) -> httpx.Request:
    """Not built by the client of httpx, which would add its own headers and cookies."""
    request, silence = effect.request, effect.silence
    head = silence if effect.within is None else min(silence, effect.within)
    timeout = {"connect": min(head, _CONNECT), "read": head, "write": head, "pool": head}
    return httpx.Request(
        request.method, request.url, headers=dict(request.headers), content=content, extensions={"timeout": timeout}
    )


def broken_by(error: Exception) -> Broken:
    """The effect's error for an error of httpx."""
    if isinstance(error, httpx.UnsupportedProtocol):
        raise error
    broken = Broken("timeout" if isinstance(error, httpx.TimeoutException) else "connection broken")
    broken.__cause__ = error
    return broken
