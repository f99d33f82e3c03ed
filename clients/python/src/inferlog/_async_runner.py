"""Runs programs of the protocol on `httpx.AsyncClient`."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterable, Mapping
from typing import Any, TypeVar

import httpx

from ._protocol.core import checked_key
from ._protocol.effects import Blocking, Broken, Close, Effect, Emit, Invoke, Key, Open, Program, Read, Sleep, Together
from ._protocol.sources import Slice
from ._protocol.wire import BROKEN, NO_AUTH, broken_by, request_of
from .options import AsyncClock, AsyncKey

T = TypeVar("T")


class _Connection:
    def __init__(self, response: httpx.Response) -> None:
        self.status = response.status_code
        self.headers: Mapping[str, str] = response.headers
        self.response = response
        self.chunks = response.aiter_bytes()


class _Ended(Exception):
    """A program has returned. An exception, because no value can tell it from an effect."""

    def __init__(self, value: Any) -> None:
        self.value = value


class AsyncRunner:
    def __init__(self, client: httpx.AsyncClient, clock: AsyncClock, key: AsyncKey | None) -> None:
        self._client = client
        self._clock = clock
        self._given = key
        self._key: str | None = None
        self._has_key = False
        self._lock = asyncio.Lock()

    async def run(self, program: Program[T]) -> T:
        """What the program returns."""
        steps = self._steps(program)
        try:
            await steps.__anext__()
        except _Ended as end:
            result: T = end.value
            return result
        finally:
            await steps.aclose()
        raise AssertionError("a program without a reader has an item")

    async def items(self, program: Program[Any]) -> AsyncGenerator[Any, None]:
        """What the program emits. Closing the iterator frees its connection."""
        steps = self._steps(program)
        try:
            while True:
                yield await steps.__anext__()
        except _Ended:
            return
        finally:
            await steps.aclose()

    async def _steps(self, program: Program[Any]) -> AsyncGenerator[Any, None]:
        opened: set[_Connection] = set()
        advance: Callable[[Any], Effect] = program.send
        value: Any = None
        try:
            while True:
                try:
                    effect = advance(value)
                except StopIteration as end:
                    raise _Ended(end.value) from None
                advance, value = program.send, None
                if isinstance(effect, Emit):
                    yield effect.item
                    continue
                try:
                    value = await self._perform(effect, opened)
                except BaseException as error:
                    advance, value = program.throw, error
        finally:
            program.close()
            for connection in opened:
                await connection.response.aclose()

    async def _perform(self, effect: Effect, opened: set[_Connection]) -> Any:
        if isinstance(effect, Open):
            connection = await self._open(effect)
            opened.add(connection)
            return connection
        if isinstance(effect, Read):
            try:
                return await _within(effect.within, _next(effect.connection.chunks))
            except (*BROKEN, asyncio.TimeoutError) as error:
                await self._close(effect.connection, opened)
                raise _broken_by(error) from error
        if isinstance(effect, Close):
            return await self._close(effect.connection, opened)
        if isinstance(effect, Sleep):
            return await self._clock.sleep(effect.seconds)
        if isinstance(effect, Invoke):
            value = effect.function(*effect.arguments)
            return await value if inspect.isawaitable(value) else value
        if isinstance(effect, Key):
            return await self._current_key(effect.refused)
        if isinstance(effect, Blocking):
            return await asyncio.to_thread(effect.function)
        if isinstance(effect, Together):
            return [value async for value in self.unordered(effect.programs, effect.limit)]
        raise AssertionError(effect)

    async def _open(self, effect: Open) -> _Connection:
        body = effect.request.body
        request = request_of(effect, _pieces(body) if isinstance(body, Slice) else body)
        sending = self._client.send(request, stream=True, auth=NO_AUTH, follow_redirects=False)
        try:
            response = await _within(effect.within, sending)
        except (*BROKEN, asyncio.TimeoutError) as error:
            raise _broken_by(error) from error
        return _Connection(response)

    async def _close(self, connection: Any, opened: set[_Connection]) -> None:
        opened.discard(connection)
        if isinstance(connection, _Connection):
            await connection.response.aclose()

    async def _current_key(self, refused: str | None) -> str | None:
        given = self._given
        if not callable(given):
            return checked_key(given)
        async with self._lock:
            # Another call may have asked meanwhile.
            if not self._has_key or (refused is not None and refused == self._key):
                asked = given()
                self._key = checked_key(asked if asked is None or isinstance(asked, str) else await asked)
                self._has_key = True
            return self._key

    async def unordered(self, programs: Iterable[Program[T]], limit: int) -> AsyncGenerator[T, None]:
        """The results of programs in the order in which they end, each in a task, `limit` at once."""
        waiting = iter(programs)
        running: set[asyncio.Task[T]] = set()
        ended: list[asyncio.Task[T]] = []
        try:
            while True:
                while len(running) < limit and (program := next(waiting, None)) is not None:
                    running.add(asyncio.create_task(self.run(program)))
                if not running:
                    return
                done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                ended = list(done)
                while ended:
                    yield ended.pop(0).result()
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, *ended, return_exceptions=True)


async def _within(seconds: float | None, coroutine: Coroutine[Any, Any, T]) -> T:
    """As `asyncio.wait_for`, which loses a cancellation in Python before 3.12 if it comes together with the result."""
    if seconds is None:
        return await coroutine
    task = asyncio.ensure_future(coroutine)
    try:
        await asyncio.wait({task}, timeout=seconds)
    except asyncio.CancelledError:
        await _give_up(task)
        raise
    if not task.done():
        await _give_up(task)
        raise asyncio.TimeoutError
    return task.result()


async def _give_up(task: asyncio.Future[Any]) -> None:
    task.cancel()
    (result,) = await asyncio.gather(task, return_exceptions=True)
    if isinstance(result, httpx.Response):
        await result.aclose()


async def _next(chunks: AsyncIterator[bytes]) -> bytes:
    async for chunk in chunks:
        return chunk
    return b""


def _broken_by(error: Exception) -> Broken:
    return Broken("timeout") if isinstance(error, asyncio.TimeoutError) else broken_by(error)


async def _pieces(body: Slice) -> AsyncIterator[bytes]:
    for at in body.offsets():
        # In the loop, because it calls the caller's function.
        body.on_read(at)
        yield await asyncio.to_thread(body.piece, at)
