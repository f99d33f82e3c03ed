"""Which request a call is about."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Union
from urllib.parse import unquote, urlsplit

from ..errors import UnexpectedAnswerError
from ..types import RetrievedRequest
from .calls import Call, model_path, segment
from .core import Core, Scope
from .effects import Program
from .exchange import send_json

#: An id, the answer to a submit, a status, a result, or an item of the history.
RequestRef = Union[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Place:
    model: str
    id: str

    def call(self, below: str = "", **more: Any) -> Call[Any]:
        return Call(more.pop("method", "GET"), f"{model_path(self.model)}/requests/{segment(self.id)}{below}", host="queue", **more)


def retrieval(request_id: str) -> Call[RetrievedRequest]:
    """The request in any state."""
    return Call("GET", f"/requests/{segment(request_id)}", host="queue")


def id_of(ref: RequestRef) -> str:
    given = ref if isinstance(ref, str) else ref.get("request_id") or ref.get("id")
    if not isinstance(given, str):
        raise ValueError("A request is named by its id, or by an answer that has it")
    return given


def place_of(ref: RequestRef) -> Place | None:
    """Where the request is, unless only its id is known. Of addresses only the path counts: calls go to the client's own."""
    if isinstance(ref, str):
        return None
    model = ref.get("modelEndpoint")
    if isinstance(model, str):
        return Place(model, id_of(ref))
    path = urlsplit(str(ref.get("status_url", ""))).path
    found = re.search(r"/([^/]+)/([^/]+)/requests/([^/]+)(?:/status)?$", path)
    if found is None:
        return None
    return Place(f"{unquote(found[1])}/{unquote(found[2])}", id_of(ref))


def place_of_submitted(answer: Any) -> Place:
    """Where the request is that the answer to a submit names."""
    place = place_of(answer) if isinstance(answer, dict) else None
    if place is None:
        raise UnexpectedAnswerError("The answer to a submit names no request: is it of an inferlog server?")
    return place


def locate(ref: RequestRef, core: Core, scope: Scope) -> Program[Place]:
    """The request's place. The model of a bare id is asked for."""
    scope.request_id = id_of(ref)
    place = place_of(ref)
    if place is None:
        record = yield from send_json(retrieval(scope.request_id), core, scope)
        place = Place(record["modelEndpoint"], scope.request_id)
    return place
