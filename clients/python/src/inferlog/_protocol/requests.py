"""Submits, follows and cancels requests (docs/start/requests.md)."""

from __future__ import annotations

import asyncio
import json
import math
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from ..errors import DeadlineExceededError, RequestOutcomeError, TokenNotGrantedError
from ..types import CancelledRequestStatus, CreatedRequest, RequestStatus, Result, RetrievedRequest
from .calls import Call, given, model_path, post
from .core import Core, Scope
from .effects import Invoke, Program, Sleep, Stopped
from .exchange import send_json
from .failures import output_of
from .inputs import with_files
from .places import Place, RequestRef, locate, place_of_submitted, retrieval

#: For how long the server holds an answer, in seconds.
HELD = 30

TERMINAL = ("COMPLETED", "FAILED", "CANCELLED")

#: The time between two answers that say nothing new, in seconds.
_SHORTEST = 1.0

#: How long an interrupted call may take to cancel its request, in seconds.
_PATIENCE = 10.0

_ABORTS = (KeyboardInterrupt, SystemExit, Stopped, asyncio.CancelledError, DeadlineExceededError)


@dataclass(frozen=True)
class SubmitOptions:
    webhook: str | None = None
    webhook_events: Sequence[str] | None = None
    metadata: Mapping[str, str] | None = None
    idempotency_key: str | None = None
    start_timeout: float | None = None
    cancel_after: float | None = None
    #: Headers of one way to submit.
    headers: Mapping[str, str] = field(default_factory=dict)
    held: float = 0

    def call(self, model: str, input: Any) -> Call[Any]:
        headers = {"idempotency-key": self.idempotency_key or str(uuid.uuid4()), **self.headers}
        if self.metadata is not None:
            headers["x-request-metadata"] = json.dumps(dict(self.metadata), separators=(",", ":"))
        if self.start_timeout is not None:
            headers["x-request-start-timeout"] = str(math.ceil(self.start_timeout))
        if self.cancel_after is not None:
            headers["cancel-after"] = str(math.ceil(self.cancel_after))
        reserved = given(
            webhook=self.webhook,
            webhook_events_filter=None if self.webhook_events is None else list(self.webhook_events),
        )
        return post(model_path(model), {**input, **reserved}, host="queue", headers=headers, held=self.held)


def prepared(core: Core, scope: Scope, model: str, input: Mapping[str, Any], options: SubmitOptions) -> Program[Call[Any]]:
    """The submit, once the files of its input are uploaded."""
    model_path(model)
    return options.call(model, (yield from with_files(core, scope, input)))


def submit(
    core: Core, scope: Scope, model: str, input: Mapping[str, Any], options: SubmitOptions
) -> Program[CreatedRequest]:
    call: Call[CreatedRequest] = yield from prepared(core, scope, model, input, options)
    return (yield from send_json(call, core, scope))


def _is_failed(body: Mapping[str, Any]) -> bool:
    return body.get("status") == "FAILED" and "request_id" in body


def status_call(place: Place, wait: int | None = None) -> Call[RequestStatus]:
    """The status. That of a failed request is a 400 with the status."""
    return place.call("/status", query=given(wait=wait), held=wait or 0, accepts=_is_failed)


def status(core: Core, scope: Scope, ref: RequestRef) -> Program[RequestStatus]:
    place = yield from locate(ref, core, scope)
    return (yield from send_json(status_call(place), core, scope))


def result(core: Core, scope: Scope, ref: RequestRef) -> Program[Result]:
    place = yield from locate(ref, core, scope)
    call: Call[Result] = place.call()
    return (yield from send_json(call, core, scope))


def cancel(core: Core, scope: Scope, ref: RequestRef) -> Program[CancelledRequestStatus]:
    place = yield from locate(ref, core, scope)
    call: Call[CancelledRequestStatus] = place.call("/cancel", method="POST", accepts=_is_failed)
    return (yield from send_json(call, core, scope))


OnStatus = Callable[[RequestStatus], Any]


def polled(
    core: Core, scope: Scope, place: Place, held: int, show: Callable[[RequestStatus], Program[None]]
) -> Program[RequestStatus]:
    """Asks for the status until the request has ended. Shows each change, and gives the last one."""
    last: RequestStatus | None = None
    while True:
        asked = core.clock.now()
        found = yield from send_json(status_call(place, held), core, scope)
        is_unchanged = found == last
        last = found
        if not is_unchanged:
            yield from show(found)
        if found["status"] in TERMINAL:
            return found
        if is_unchanged and core.clock.now() - asked < _SHORTEST:
            # Something on the way does not hold answers.
            yield _pause(scope)


def _pause(scope: Scope) -> Sleep:
    left = scope.left()
    return Sleep(_SHORTEST if left is None else min(_SHORTEST, left))


def _ended(core: Core, scope: Scope, place: Place, on_status: OnStatus | None) -> Program[RetrievedRequest]:
    """Follows a request to its end, and gives the whole of it."""

    def show(status: RequestStatus) -> Program[None]:
        if on_status is not None:
            yield Invoke(on_status, (status,))

    last = yield from polled(core, scope, place, HELD, show)
    try:
        while True:
            request = yield from send_json(retrieval(place.id), core, scope)
            if request["outcome"] != "pending":
                return request
            # Another node answers, which has not received the end yet.
            yield _pause(scope)
    except TokenNotGrantedError:
        # A page's token that submits opens the result only (docs/apps/browsers.md).
        return (yield from _as_result(core, scope, place, last["status"]))


def _as_result(core: Core, scope: Scope, place: Place, status: str) -> Program[RetrievedRequest]:
    """The ended request, as far as the result route shows it."""
    call: Call[RetrievedRequest] = place.call()
    try:
        return (yield from send_json(call, core, scope))
    except RequestOutcomeError as error:
        if error.request is not None:
            return error.request
        known = {
            "id": place.id,
            "modelEndpoint": place.model,
            "status": status,
            "outcome": "failed" if status == "FAILED" else "cancelled",
            "input": None,
            "output": None,
            "error": error.message,
        }
        return cast(RetrievedRequest, known)


def wait(core: Core, scope: Scope, ref: RequestRef, on_status: OnStatus | None) -> Program[RetrievedRequest]:
    place = yield from locate(ref, core, scope)
    return (yield from _ended(core, scope, place, on_status))


def run(
    core: Core,
    scope: Scope,
    model: str,
    input: Mapping[str, Any],
    options: SubmitOptions,
    on_status: OnStatus | None = None,
    cancel_on_abort: bool = True,
) -> Program[Any]:
    """The output. An interrupted call cancels its request once, best effort."""
    call = yield from prepared(core, scope, model, input, options)
    scope.left()
    place: Place | None = None
    try:
        body = yield from send_json(call, core, scope)
        place = place_of_submitted(body)
        scope.request_id = place.id
        if "outcome" not in body:
            body = yield from _ended(core, scope, place, on_status)
    except _ABORTS:
        if cancel_on_abort:
            yield from _abandon(core, call, place)
        raise
    return output_of(body)


def _abandon(core: Core, submitted: Call[Any], place: Place | None) -> Program[None]:
    """Cancels a request once, as far as possible. Until its id is known, the same submit tells it."""
    last = replace(core, retries=0)
    scope = Scope(last, _PATIENCE)
    try:
        if place is None:
            headers = {name: value for name, value in submitted.headers.items() if name != "prefer"}
            again: Call[Any] = replace(submitted, headers=headers, held=0)
            place = yield from locate((yield from send_json(again, last, scope)), last, scope)
        yield from send_json(place.call("/cancel", method="POST"), last, scope)
    except Exception:
        # The caller gets the reason for which the call ended.
        pass
