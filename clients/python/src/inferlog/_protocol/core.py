"""The settings that all calls of a client share."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar
from urllib.parse import urlsplit

from ..errors import DeadlineExceededError
from ..options import Hooks, Time
from .effects import Program

T = TypeVar("T")

_DEFAULT_URL = "http://127.0.0.1:8080"


def _address(url: str, name: str) -> str:
    parts = urlsplit(str(url))
    # A password in it would be shown by hooks, and never sent.
    if parts.scheme not in ("http", "https") or not parts.netloc or "@" in parts.netloc:
        raise ValueError(f"{name} must be an absolute URL that begins with http:// or https://, without a user")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


@dataclass(frozen=True)
class Core:
    base: str
    queue: str
    #: Whether a new key can be asked for after a 401.
    renewable: bool
    headers: Mapping[str, str]
    retries: int
    #: Seconds.
    timeout: float
    hooks: Hooks
    clock: Time
    random: Callable[[], float] = field(default=random.random, repr=False)

    @staticmethod
    def make(
        *,
        url: str | None,
        queue_url: str | None,
        renewable: bool,
        headers: Mapping[str, str] | None,
        retries: int,
        timeout: float,
        hooks: Hooks | None,
        clock: Time,
    ) -> "Core":
        base = _address(url or os.environ.get("INFERLOG_URL") or _DEFAULT_URL, "url")
        return Core(
            base=base,
            queue=_address(queue_url, "queue_url") if queue_url else base,
            renewable=renewable,
            headers=dict(headers or {}),
            retries=retries,
            timeout=timeout,
            hooks=hooks or Hooks(),
            clock=clock,
        )


def checked_key(key: str | None) -> str | None:
    """The key without space around it. Its characters are checked here, because httpx would show the key in its error."""
    key = (key or "").strip()
    if key and not re.fullmatch(r"[\x21-\x7e]+", key):
        raise ValueError("The key has characters that no key has")
    return key or None


class Scope:
    """One call of a client: when it must have ended, and the id of the request that it is about."""

    def __init__(self, core: Core, timeout: float | None) -> None:
        self._core = core
        self._clock = core.clock
        self._timeout = timeout
        self._until = None if timeout is None else core.clock.monotonic() + timeout
        self.request_id: str | None = None

    def another(self) -> "Scope":
        """For one of several requests of a call, with the same deadline."""
        scope = Scope(self._core, self._timeout)
        scope._until = self._until
        return scope

    def left(self) -> float | None:
        """Seconds until the deadline, if there is one. Raises once it has passed."""
        if self._until is None:
            return None
        left = self._until - self._clock.monotonic()
        if left <= 0:
            raise self.exceeded()
        return left

    def exceeded(self) -> DeadlineExceededError:
        return DeadlineExceededError(self._timeout or 0, self.request_id)


def begin(core: Core, timeout: float | None, program: Callable[[Core, Scope], Program[T]]) -> Program[T]:
    """The program, whose deadline counts from its first step."""
    return (yield from program(core, Scope(core, timeout)))
