"""Runs a model on many inputs."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..errors import DeadlineExceededError, InferlogError
from .core import Core, Scope
from .effects import Program
from .requests import HELD, SubmitOptions, run


@dataclass(frozen=True)
class BatchItem:
    """What became of one input: `error` is `None` if it has an output."""

    index: int
    output: Any = None
    error: InferlogError | None = None


def batch(
    core: Core,
    timeout: float | None,
    model: str,
    inputs: Iterable[Mapping[str, Any]],
    key: str | None,
    options: SubmitOptions,
    cancel_on_abort: bool | None,
) -> Iterator[Program[BatchItem]]:
    """A program for each input. With a `key` the requests stay when the caller leaves, so that the same call goes on with them."""
    scope = Scope(core, timeout)
    prefix = key or str(uuid.uuid4())
    cancels = key is None if cancel_on_abort is None else cancel_on_abort

    def one(index: int, input: Mapping[str, Any]) -> Program[BatchItem]:
        chosen = replace(options, idempotency_key=f"{prefix}-{index}")
        try:
            output = yield from run(core, scope.another(), model, input, chosen, cancel_on_abort=cancels)
        except DeadlineExceededError:
            # It is the deadline of the whole batch.
            raise
        except InferlogError as error:
            return BatchItem(index, error=error)
        return BatchItem(index, output)

    for index, input in enumerate(inputs):
        yield one(index, input)


def waiting(**options: Any) -> SubmitOptions:
    """Of a submit whose answer the server holds until the request has ended."""
    return SubmitOptions(headers={"prefer": f"wait={HELD}"}, held=HELD, **options)
