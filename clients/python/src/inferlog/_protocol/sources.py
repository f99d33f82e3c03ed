"""Bytes to upload: read in pieces, from several threads, and never as a whole."""

from __future__ import annotations

import contextlib
import io
import mimetypes
import os
import shutil
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Union

#: What can be uploaded.
FileData = Union[bytes, bytearray, memoryview, "os.PathLike[str]", IO[bytes]]

_PIECE = 256 * 1024

#: What Python leaves to the system's table of types, which containers often lack, or names otherwise than the other client.
_TYPES = {
    ".flac": "audio/flac",
    ".glb": "model/gltf-binary",
    ".jsonl": "application/jsonl",
    ".m4a": "audio/mp4",
    ".md": "text/markdown",
    ".mkv": "video/x-matroska",
    ".ogg": "audio/ogg",
    ".opus": "audio/ogg",
    ".wav": "audio/wav",
    ".weba": "audio/webm",
    ".webp": "image/webp",
}


class Source:
    """A file of known size. `read_at` may be called from several threads."""

    def __init__(self, file: IO[bytes], name: str | None, owned: bool) -> None:
        self._file = file
        self._owned = owned
        self._is_closed = False
        self._lock = threading.Lock()
        self._start = file.tell()
        self.size = file.seek(0, os.SEEK_END) - self._start
        file.seek(self._start)
        self.name = name

    def read_at(self, offset: int, length: int) -> bytes:
        with self._lock:
            if self._is_closed:
                raise ValueError("The upload has ended")
            self._file.seek(self._start + offset)
            data = self._file.read(length)
        if not data:
            raise ValueError("The file has become shorter while it was read")
        return data

    def close(self) -> None:
        """Leaves a file of the caller as it was, so that another call can upload it again."""
        with self._lock:
            self._is_closed = True
            if self._owned:
                self._file.close()
            else:
                # The caller may have closed it meanwhile.
                with contextlib.suppress(ValueError):
                    self._file.seek(self._start)


def is_file(value: object) -> bool:
    """Whether a value of an input is a file: a path, or an object that reads bytes."""
    if isinstance(value, (str, io.TextIOBase)):
        return False
    return isinstance(value, os.PathLike) or callable(getattr(value, "read", None))


def open_source(data: FileData) -> Source:
    """A file that cannot be read from its middle, such as a pipe, is first copied to a temporary one."""
    if isinstance(data, (bytes, bytearray, memoryview)):
        return Source(io.BytesIO(data), None, owned=True)
    if isinstance(data, os.PathLike):
        return Source(open(data, "rb"), Path(data).name, owned=True)
    if isinstance(data, io.TextIOBase):
        raise TypeError("Open the file in binary mode, such as open(path, 'rb')")
    name = _name_of(data)
    if getattr(data, "seekable", lambda: False)():
        return Source(data, name, owned=False)
    copy: IO[bytes] = tempfile.TemporaryFile()
    try:
        shutil.copyfileobj(data, copy)
        copy.seek(0)
        return Source(copy, name, owned=True)
    except BaseException:
        copy.close()
        raise


def content_type_of(name: str) -> str:
    """By the extension. Of compressed files Python tells the type of what is in them, which their bytes are not."""
    usual, encoding = mimetypes.guess_type(name, strict=False)
    found = _TYPES.get(os.path.splitext(name)[1].lower()) or (None if encoding else usual)
    return found or "application/octet-stream"


def _name_of(file: Any) -> str | None:
    name = getattr(file, "name", None)
    return os.path.basename(name) or None if isinstance(name, str) else None


@dataclass(frozen=True)
class Slice:
    """A part of a source, as the body of a PUT. `on_read` is to learn how many bytes of it have been taken, from 0."""

    source: Source
    offset: int
    length: int
    on_read: Callable[[int], None]

    def offsets(self) -> range:
        """Where its pieces begin."""
        return range(0, self.length, _PIECE)

    def piece(self, at: int) -> bytes:
        wanted = min(_PIECE, self.length - at)
        data = self.source.read_at(self.offset + at, wanted)
        while len(data) < wanted:
            data += self.source.read_at(self.offset + at + len(data), wanted - len(data))
        return data
