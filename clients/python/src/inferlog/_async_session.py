"""What the resources of `AsyncInferlog` share: calls, streams and lists, run by its runner."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from types import TracebackType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from ._async_runner import AsyncRunner
from ._protocol.calls import Call, Listing
from ._protocol.core import Core, Scope, begin
from ._protocol.effects import Program
from ._protocol.exchange import send_json
from ._protocol.pages import pages

P = ParamSpec("P")
T = TypeVar("T")


class AsyncStream(Generic[T]):
    """An iterator that begins its call with the first item, and frees its connection at its end or by `aclose`."""

    def __init__(self, items: AsyncGenerator[T, None]) -> None:
        self._items = items

    def __aiter__(self) -> "AsyncStream[T]":
        return self

    async def __anext__(self) -> T:
        return await self._items.__anext__()

    async def __aenter__(self) -> "AsyncStream[T]":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        await self._items.aclose()


class AsyncPaged(Generic[T]):
    """A list that the server gives in pages. Each iteration reads it anew."""

    def __init__(self, open: Callable[[bool], AsyncStream[Any]]) -> None:
        self._open = open

    def __aiter__(self) -> AsyncStream[T]:
        return self._open(False)

    def pages(self) -> AsyncStream[dict[str, Any]]:
        """The same, page by page, with totals."""
        return self._open(True)


class AsyncSession:
    def __init__(self, core: Core, runner: AsyncRunner) -> None:
        self._core = core
        self._runner = runner

    async def _run(
        self,
        program: Callable[Concatenate[Core, Scope, P], Program[T]],
        timeout: float | None,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        return await self._runner.run(program(self._core, Scope(self._core, timeout), *args, **kwargs))

    async def _send(self, call: Call[T], timeout: float | None) -> T:
        return await self._runner.run(send_json(call, self._core, Scope(self._core, timeout)))

    def _stream(
        self,
        program: Callable[Concatenate[Core, Scope, P], Program[None]],
        timeout: float | None,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> AsyncStream[Any]:
        return AsyncStream(self._runner.items(begin(self._core, timeout, lambda *own: program(*own, *args, **kwargs))))

    def _list(self, listing: Listing[T], timeout: float | None) -> AsyncPaged[T]:
        return AsyncPaged(lambda whole: self._stream(pages, timeout, listing, whole=whole))
