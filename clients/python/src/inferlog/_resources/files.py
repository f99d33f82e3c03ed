from __future__ import annotations

from collections.abc import Mapping

from .._protocol import downloads, platform, uploads
from .._protocol.sources import FileData
from .._session import Paged, Session, Stream
from ..types import Storage, StoredFile


class Files(Session):
    """The files of the account (docs/apps/uploads.md)."""

    def upload(
        self,
        data: FileData,
        *,
        file_name: str | None = None,
        content_type: str | None = None,
        part_size: int | None = None,
        parallel: int = 3,
        resume: Mapping[str, str] | None = None,
        on_begin: uploads.OnBegin | None = None,
        on_progress: uploads.OnProgress | None = None,
        timeout: float | None = None,
    ) -> str:
        """Uploads bytes, a path or a binary file, and gives the file's URL. It is read in pieces.

        :param part_size: Bytes of a part, at least 5 MiB; larger data goes in parts. Default: parts of 16 MiB above 64 MiB.
        :param parallel: Parts on their way at once.
        :param resume: `uploadId` and `uploadKey` of an upload in parts that was interrupted: parts that have arrived stay.
        :param on_begin: Called with both when an upload in parts has begun, before its first part.
        :param on_progress: Called with the bytes that are on their way or there, and all bytes; of parts in other threads,
            one call at a time.
        """
        options = uploads.UploadOptions(
            file_name, content_type, part_size, parallel, resume, on_begin, on_progress
        )
        return self._run(uploads.upload, timeout, data, options)

    def list(
        self,
        *,
        source: str | None = None,
        content_type: str | None = None,
        request_id: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Paged[StoredFile]:
        return self._list(platform.files(source, content_type, request_id, limit), timeout)

    def get(self, file_id: str, *, timeout: float | None = None) -> StoredFile:
        return self._send(platform.file(file_id), timeout)

    def delete(self, file_id: str, *, timeout: float | None = None) -> None:
        """Its URL answers 410 from then on. Also ends an upload in parts, by its `uploadKey`."""
        self._send(platform.delete_file(file_id), timeout)

    def storage(self, *, timeout: float | None = None) -> Storage:
        return self._send(platform.storage(), timeout)

    def download(
        self, url: str, *, offset: int = 0, etag: str | None = None, timeout: float | None = None
    ) -> Stream[bytes]:
        """The bytes at a file's URL as they come. No key is sent. Goes on after a cut, as long as the file is the same."""
        return self._stream(downloads.download, timeout, url, offset, etag)
