"""Calls of the server's routes, as data."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timezone
from typing import Any, Generic, TypeVar
from urllib.parse import quote, urlencode

from .core import Core
from .sources import Slice


#: What the answer is.
T = TypeVar("T")


@dataclass(frozen=True)
class Call(Generic[T]):
    method: str
    #: Below the address, or a whole URL that carries its own credentials and gets no key.
    path: str
    #: `base`, `queue`, or `none` for a whole URL.
    host: str = "base"
    query: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | Slice | None = field(default=None, repr=False)
    #: For how long the server may hold the answer, in seconds.
    held: float = 0
    #: Whether nothing is done twice if an answer was lost.
    repeatable: bool = True
    #: Whether the body of an error is an answer all the same.
    accepts: Callable[[Mapping[str, Any]], bool] | None = None

    def url(self, core: Core) -> str:
        address = {"base": core.base, "queue": core.queue, "none": ""}[self.host]
        pairs = [(name, text) for name, value in self.query.items() for text in _texts(value)]
        return address + self.path + (f"?{urlencode(pairs, quote_via=quote)}" if pairs else "")


def json_body(value: Any) -> bytes:
    # NaN and Infinity are no JSON: the server would refuse them less clearly.
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode("ascii")


def post(path: str, body: Any = None, **more: Any) -> Call[Any]:
    if body is None:
        return Call("POST", path, **more)
    headers = {"content-type": "application/json", **more.pop("headers", {})}
    return Call("POST", path, headers=headers, body=json_body(body), **more)


def given(**values: Any) -> dict[str, Any]:
    """The values that are not `None`."""
    return {name: value for name, value in values.items() if value is not None}


def segment(text: str) -> str:
    """A part of a path. Parts that a URL does not keep are refused, so that no call goes to another route."""
    if not isinstance(text, str) or text in ("", ".", ".."):
        raise ValueError("An id or name is empty or not valid")
    return quote(text, safe="")


def model_path(model: str) -> str:
    """`owner/name` as a path."""
    parts = model.split("/") if isinstance(model, str) else []
    if len(parts) != 2:
        raise ValueError("A model is named as owner/name")
    return f"/{segment(parts[0])}/{segment(parts[1])}"


def moment(value: datetime | date | str) -> str:
    """A time as the server reads it. One without a time zone is local time, as everywhere in Python."""
    if isinstance(value, datetime):
        return value.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")
    return value.isoformat() if isinstance(value, date) else value


def _texts(value: Any) -> Iterable[str]:
    if value is None:
        return []
    if isinstance(value, bool):
        return ["true" if value else "false"]
    if isinstance(value, (datetime, date)):
        return [moment(value)]
    if isinstance(value, str) or not isinstance(value, Iterable):
        return [str(value)]
    return [str(one) for one in value]


@dataclass(frozen=True)
class Listing(Generic[T]):
    """A list of `T` that the server gives in pages."""

    first: Call[Any]
