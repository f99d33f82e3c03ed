"""Runs programs of the protocol on `httpx.Client`."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from typing import Any, TypeVar

import httpx

from ._protocol.core import checked_key
from ._protocol.effects import Blocking, Close, Effect, Emit, Invoke, Key, Open, Program, Read, Sleep, Stopped, Together
from ._protocol.sources import Slice
from ._protocol.wire import BROKEN, NO_AUTH, broken_by, request_of
from .options import Clock

T = TypeVar("T")


class _Connection:
    def __init__(self, response: httpx.Response) -> None:
        self.status = response.status_code
        self.headers: Mapping[str, str] = response.headers
        self.response = response
        self.chunks = response.iter_bytes()


class Runner:
    def __init__(self, client: httpx.Client, clock: Clock, key: str | Callable[[], str | None] | None) -> None:
        self._client = client
        self._clock = clock
        self._given = key
        self._key: str | None = None
        self._has_key = False
        self._lock = threading.Lock()

    def run(self, program: Program[T], stop: threading.Event | None = None) -> T:
        """What the program returns."""
        steps = self._steps(program, stop)
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result
        raise AssertionError("a program without a reader has an item")

    def items(self, program: Program[Any]) -> Iterator[Any]:
        """What the program emits. Closing the iterator frees its connection."""
        return self._steps(program, None)

    def _steps(self, program: Program[T], stop: threading.Event | None) -> Generator[Any, None, T]:
        opened: set[_Connection] = set()
        advance: Callable[[Any], Effect] = program.send
        value: Any = None
        is_stopped = False
        try:
            while True:
                try:
                    effect = advance(value)
                except StopIteration as end:
                    result: T = end.value
                    return result
                advance, value = program.send, None
                if isinstance(effect, Emit):
                    yield effect.item
                    continue
                try:
                    if stop is not None and stop.is_set() and not is_stopped:
                        is_stopped = True
                        raise Stopped
                    value = self._perform(effect, opened)
                except BaseException as error:
                    advance, value = program.throw, error
        finally:
            program.close()
            for connection in opened:
                connection.response.close()

    def _perform(self, effect: Effect, opened: set[_Connection]) -> Any:
        if isinstance(effect, Open):
            connection = self._open(effect)
            opened.add(connection)
            return connection
        if isinstance(effect, Read):
            try:
                return next(effect.connection.chunks, b"")
            except BROKEN as error:
                self._close(effect.connection, opened)
                raise broken_by(error) from error
        if isinstance(effect, Close):
            return self._close(effect.connection, opened)
        if isinstance(effect, Sleep):
            return self._clock.sleep(effect.seconds)
        if isinstance(effect, Invoke):
            return effect.function(*effect.arguments)
        if isinstance(effect, Key):
            return self._current_key(effect.refused)
        if isinstance(effect, Blocking):
            return effect.function()
        if isinstance(effect, Together):
            return list(self.unordered(effect.programs, effect.limit))
        raise AssertionError(effect)

    def _open(self, effect: Open) -> _Connection:
        body = effect.request.body
        request = request_of(effect, _pieces(body) if isinstance(body, Slice) else body)
        try:
            response = self._client.send(request, stream=True, auth=NO_AUTH, follow_redirects=False)
        except BROKEN as error:
            raise broken_by(error) from error
        return _Connection(response)

    def _close(self, connection: Any, opened: set[_Connection]) -> None:
        opened.discard(connection)
        if isinstance(connection, _Connection):
            connection.response.close()

    def _current_key(self, refused: str | None) -> str | None:
        if not callable(self._given):
            return checked_key(self._given)
        with self._lock:
            # Another call may have asked meanwhile.
            if not self._has_key or (refused is not None and refused == self._key):
                self._key = checked_key(self._given())
                self._has_key = True
            return self._key

    def unordered(self, programs: Iterable[Program[T]], limit: int) -> Iterator[T]:
        """The results of programs in the order in which they end, each in a thread, `limit` at once."""
        waiting = iter(programs)
        results: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()
        stop = threading.Event()
        running = 0

        def work(program: Program[T]) -> None:
            try:
                results.put((self.run(program, stop), None))
            except BaseException as error:
                results.put((None, error))

        try:
            while True:
                while running < limit and (program := next(waiting, None)) is not None:
                    # Daemons, so that an interrupted program does not wait for answers that the server holds.
                    threading.Thread(target=work, args=(program,), daemon=True).start()
                    running += 1
                if running == 0:
                    return
                value, error = results.get()
                running -= 1
                if error is not None:
                    raise error
                yield value
        finally:
            stop.set()


def _pieces(body: Slice) -> Iterator[bytes]:
    for at in body.offsets():
        body.on_read(at)
        yield body.piece(at)


