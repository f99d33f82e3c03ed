"""Reads server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html)."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..errors import UnexpectedAnswerError

#: Characters of one event, so that a broken server cannot fill the memory.
_LARGEST = 16 * 1024 * 1024

#: The longest pause between connections that a stream may ask for, in seconds.
_LONGEST_RETRY = 30.0


@dataclass
class Block:
    """A block of an event stream: an event, or an id without one."""

    #: `message` where the block names none.
    event: str = "message"
    #: Its lines, joined by newlines; `None` for a block without data, which is no event.
    data: str | None = None
    #: The place behind which the stream goes on.
    id: str | None = None
    #: The pause before the next connection that the server asks for, in seconds; at most 30.
    retry: float | None = None
    size: int = 0

    def add(self, line: str) -> None:
        self.size += len(line)
        name, _, value = line.partition(":")
        if value.startswith(" "):
            value = value[1:]
        if name == "event":
            self.event = value
        elif name == "data":
            self.data = value if self.data is None else f"{self.data}\n{value}"
        elif name == "id" and "\0" not in value:
            self.id = value
        elif name == "retry" and re.fullmatch("[0-9]+", value):
            self.retry = min(float(value) / 1_000, _LONGEST_RETRY)

    @property
    def is_empty(self) -> bool:
        return self.data is None and self.id is None and self.retry is None


class Events:
    """The events of a stream, however its bytes are cut into chunks. What follows the last empty line is no event."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._is_first = True
        self._ends_with_return = False
        self._rest: list[str] = []
        self._rest_size = 0
        self._block = Block()

    def feed(self, chunk: bytes) -> Iterator[Block]:
        text = self._decoder.decode(chunk)
        if not text:
            return
        if self._is_first:
            self._is_first = False
            text = text[1:] if text[0] == "\ufeff" else text
        if self._ends_with_return and text.startswith("\n"):
            text = text[1:]
        self._ends_with_return = text.endswith("\r") if text else False
        *lines, last = re.split("\r\n|\r|\n", text)
        for line in lines:
            yield from self._line("".join((*self._rest, line)))
            self._rest, self._rest_size = [], 0
        if last:
            self._rest.append(last)
            self._rest_size += len(last)
        if self._block.size + self._rest_size > _LARGEST:
            raise UnexpectedAnswerError("An event of the stream has more than 16 MiB")

    def _line(self, line: str) -> Iterator[Block]:
        if line:
            self._block.add(line)
            return
        block, self._block = self._block, Block()
        if not block.is_empty:
            yield block
