"""What streams bring."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class OutputEvent:
    """The output of a request as it is made (docs/apps/streams.md, "The output as it is made")."""

    type: Literal["request", "chunk", "restart", "progress", "done"]
    #: `request`: the answer to the submit; `chunk`: the next part of the output; `progress`: `{"progress": 0.4}`; `done`: how it ended.
    data: Any
    #: Of a chunk: where to go on, as `last_event_id`.
    id: str | None = None


@dataclass(frozen=True)
class RequestEvent:
    """A change of a request of the account (docs/apps/streams.md, "All requests")."""

    type: Literal["status", "progress"]
    data: Any
    #: Of a status: where to go on, as `last_event_id`.
    id: str | None = None
