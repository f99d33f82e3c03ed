from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .._protocol import batches
from .._session import Session, Stream


class Batches(Session):
    """Many inputs of one model."""

    def run(
        self,
        model: str,
        inputs: Iterable[Mapping[str, Any]],
        *,
        key: str | None = None,
        concurrency: int = 8,
        webhook: str | None = None,
        webhook_events: Sequence[str] | None = None,
        metadata: Mapping[str, str] | None = None,
        start_timeout: float | None = None,
        cancel_after: float | None = None,
        cancel_on_abort: bool | None = None,
        timeout: float | None = None,
    ) -> Stream[batches.BatchItem]:
        """Runs the model on each input, `concurrency` at once, and gives what becomes of them in the order of completion.

        :param key: Names the batch: the same call after a crash goes on with its requests, for 24 hours.
        :param cancel_on_abort: Whether requests that have not ended are cancelled when the caller leaves or `timeout` ends
            the call. Default: not if there is a `key`, because the same call would find them cancelled. Threads notice it with
            their next answer, within 30 s, as long as the program runs.
        """
        options = batches.waiting(
            webhook=webhook,
            webhook_events=webhook_events,
            metadata=metadata,
            start_timeout=start_timeout,
            cancel_after=cancel_after,
        )
        programs = batches.batch(self._core, timeout, model, inputs, key, options, cancel_on_abort)
        return Stream(self._runner.unordered(programs, max(1, concurrency)))
