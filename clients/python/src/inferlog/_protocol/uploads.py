"""Uploads (docs/apps/uploads.md): one PUT, or parts at once."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from ..errors import ApiError, UnexpectedAnswerError, UnreachableError, UploadCompletedError, UrlExpiredError
from .calls import Call, post, segment
from .core import Core, Scope
from .effects import Blocking, Broken, Invoke, Program, Together
from .exchange import Attempts, open_once, read_all, send, send_json
from .sources import FileData, Slice, Source, content_type_of, open_source

_MIB = 1024 * 1024

#: Largest file for a single PUT by default, bytes.
_SINGLE = 64 * _MIB
#: Default and least size of a part, bytes, and the most parts.
_PART, _LEAST_PART, _MOST_PARTS = 16 * _MIB, 5 * _MIB, 10_000

#: A presigned URL is good for an hour. How often one PUT gets another.
_MOST_RENEWALS = 5

#: Learns the bytes that have been sent, and all bytes of the file.
OnProgress = Callable[[int, int], Any]
#: Learns the `uploadId` and `uploadKey` of an upload in parts, with which it can be resumed.
OnBegin = Callable[[Mapping[str, str]], Any]


@dataclass(frozen=True)
class UploadOptions:
    file_name: str | None = None
    content_type: str | None = None
    part_size: int | None = None
    parallel: int = 3
    resume: Mapping[str, str] | None = None
    on_begin: OnBegin | None = None
    on_progress: OnProgress | None = None


class _Progress:
    """Adds up the bytes of all parts, and never goes back: bytes that are sent again count once."""

    def __init__(self, total: int, told: OnProgress | None) -> None:
        self._total = total
        self._told = told
        self._lock = threading.Lock()
        self._sent: dict[int, int] = {}
        self._most = -1

    def report(self, part: int, sent: int) -> None:
        if self._told is None:
            return
        with self._lock:
            self._sent[part] = sent
            now = min(sum(self._sent.values()), self._total)
            if now <= self._most:
                return
            self._most = now
            self._told(now, self._total)


def upload(core: Core, scope: Scope, data: FileData, options: UploadOptions) -> Program[str]:
    """Uploads a file, and gives its URL."""
    source: Source = yield Blocking(lambda: open_source(data))
    try:
        name = options.file_name or source.name or "file"
        what = {
            "file_name": name,
            "content_type": options.content_type or content_type_of(name),
            "size": source.size,
        }
        progress = _Progress(source.size, options.on_progress)
        if options.resume is None and source.size <= (options.part_size or _SINGLE):
            return (yield from _single(core, scope, source, what, progress))
        return (yield from _in_parts(core, scope, source, what, options, progress))
    except UploadCompletedError as error:
        # All bytes had arrived before: the answer to the call that completed the upload was lost.
        url = error.details.get("fileUrl")
        if not isinstance(url, str):
            raise
        return url
    finally:
        source.close()


def _single(core: Core, scope: Scope, source: Source, what: Mapping[str, Any], progress: _Progress) -> Program[str]:
    attempts = Attempts(core, scope)
    file_url = ""

    def address() -> Program[str]:
        nonlocal file_url
        if file_url:
            yield from _forget(core, scope, file_url)
        begun = yield from send_json(post("/storage/upload/initiate", what), core, scope)
        file_url = begun["file_url"]
        return str(begun["upload_url"])

    whole = Slice(source, 0, source.size, lambda sent: progress.report(1, sent))
    yield from _put(attempts, address, whole, what["content_type"])
    progress.report(1, source.size)
    return file_url


def _forget(core: Core, scope: Scope, file_url: str) -> Program[None]:
    """The file of a URL that has expired would count towards the quota for an hour."""
    found = re.search(r"/media/([^/]+)/", file_url)
    if found is None:
        return
    try:
        yield from send(Call("DELETE", f"/files/{segment(unquote(found[1]))}"), core, scope)
    except (ApiError, UnreachableError):
        pass


def _in_parts(
    core: Core,
    scope: Scope,
    source: Source,
    what: Mapping[str, Any],
    options: UploadOptions,
    progress: _Progress,
) -> Program[str]:
    arrived: Sequence[Mapping[str, Any]] = ()
    if options.resume is None:
        begun = yield from send_json(post("/storage/upload/initiate-multipart", what), core, scope)
        place = {"uploadId": begun["uploadId"], "uploadKey": begun["uploadKey"]}
    else:
        place = {name: options.resume[name] for name in ("uploadId", "uploadKey")}
        begun = yield from send_json(Call("GET", "/storage/upload/parts", query=place), core, scope)
        if begun["size"] not in (None, source.size):
            raise ValueError(f"The upload is of {begun['size']} bytes, but the file has {source.size}")
        arrived = begun["parts"]
    if options.on_begin is not None:
        yield Invoke(options.on_begin, (place,))

    size = _part_size(source.size, options.part_size, arrived)
    count = max(1, -(-source.size // size))
    etags: dict[int, str] = {}
    for part in arrived:
        if part["size"] == _length(source.size, size, part["partNumber"]):
            etags[part["partNumber"]] = part["etag"]
            progress.report(part["partNumber"], part["size"])

    def send_part(number: int) -> Program[None]:
        def address() -> Program[str]:
            query = {**place, "partNumber": number}
            call: Call[Any] = Call("GET", "/storage/upload/multipart-url", query=query)
            found = yield from send_json(call, core, scope)
            return str(found["presignedUrl"])

        length = _length(source.size, size, number)
        body = Slice(source, (number - 1) * size, length, lambda sent: progress.report(number, sent))
        headers = yield from _put(Attempts(core, scope), address, body, what["content_type"])
        etags[number] = _etag_of(headers)
        progress.report(number, length)

    missing = [number for number in range(1, count + 1) if number not in etags]
    yield Together((send_part(number) for number in missing), max(1, options.parallel))
    parts = [{"partNumber": number, "etag": etags[number]} for number in sorted(etags)]
    done = yield from send_json(post("/storage/upload/complete", {**place, "parts": parts}), core, scope)
    return str(done["fileUrl"])


def _put(attempts: Attempts, address: Callable[[], Program[str]], body: Slice, content_type: str) -> Program[Mapping[str, str]]:
    """Sends bytes to a presigned URL, and asks for another one if it has expired."""
    url = yield from address()
    renewals = 0
    while True:
        call: Call[Any] = Call("PUT", url, host="none", headers={"content-type": content_type}, body=body)
        try:
            connection = yield from open_once(call, attempts)
            yield from read_all(connection, attempts)
            return connection.headers
        except UrlExpiredError:
            if renewals == _MOST_RENEWALS:
                raise
            renewals += 1
            url = yield from address()
        except (ApiError, Broken) as error:
            yield from attempts.pause(error)


def _etag_of(headers: Mapping[str, str]) -> str:
    etag = headers.get("etag")
    if etag is None:
        raise UnexpectedAnswerError("The answer to a part has no ETag")
    return etag.removeprefix("W/").strip('"')


def _part_size(size: int, asked: int | None, arrived: Sequence[Mapping[str, Any]]) -> int:
    """Parts of an upload that goes on are as large as those that have arrived."""
    least = max(_LEAST_PART, -(-size // (_MOST_PARTS * _MIB)) * _MIB)
    usual = max(asked or _PART, least)
    fits = all(part["size"] == _length(size, usual, part["partNumber"]) for part in arrived)
    return usual if fits else max(int(part["size"]) for part in arrived)


def _length(size: int, part_size: int, number: int) -> int:
    return max(0, min(part_size, size - (number - 1) * part_size))
