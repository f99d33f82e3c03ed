"""What the resources of `Inferlog` share: calls, streams and lists, run by its runner."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from ._protocol.calls import Call, Listing
from ._protocol.core import Core, Scope, begin
from ._protocol.effects import Program
from ._protocol.exchange import send_json
from ._protocol.pages import pages
from ._runner import Runner

P = ParamSpec("P")
T = TypeVar("T")


class Stream(Generic[T]):
    """An iterator that begins its call with the first item, and frees its connection at its end, by `close`, or when it is forgotten."""

    def __init__(self, items: Iterator[T]) -> None:
        self._items = items

    def __iter__(self) -> "Stream[T]":
        return self

    def __next__(self) -> T:
        return next(self._items)

    def __enter__(self) -> "Stream[T]":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        close: Callable[[], None] = getattr(self._items, "close")
        close()


class Paged(Generic[T]):
    """A list that the server gives in pages. Each iteration reads it anew."""

    def __init__(self, open: Callable[[bool], Stream[Any]]) -> None:
        self._open = open

    def __iter__(self) -> Stream[T]:
        return self._open(False)

    def pages(self) -> Stream[dict[str, Any]]:
        """The same, page by page, with totals."""
        return self._open(True)


class Session:
    def __init__(self, core: Core, runner: Runner) -> None:
        self._core = core
        self._runner = runner

    def _run(
        self,
        program: Callable[Concatenate[Core, Scope, P], Program[T]],
        timeout: float | None,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        return self._runner.run(program(self._core, Scope(self._core, timeout), *args, **kwargs))

    def _send(self, call: Call[T], timeout: float | None) -> T:
        return self._runner.run(send_json(call, self._core, Scope(self._core, timeout)))

    def _stream(
        self,
        program: Callable[Concatenate[Core, Scope, P], Program[None]],
        timeout: float | None,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> Stream[Any]:
        return Stream(self._runner.items(begin(self._core, timeout, lambda *own: program(*own, *args, **kwargs))))

    def _list(self, listing: Listing[T], timeout: float | None) -> Paged[T]:
        return Paged(lambda whole: self._stream(pages, timeout, listing, whole=whole))
