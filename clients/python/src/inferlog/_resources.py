"""The parts of `Inferlog` that are named after what they are about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from . import _webhooks
from ._protocol import batches, downloads, platform, streams, uploads
from ._protocol.core import Scope
from ._protocol.places import retrieval
from ._protocol.platform import UNSET, Moment, Unset
from ._protocol.sources import FileData
from ._session import Paged, Session, Stream
from ._webhooks import WebhookEvent
from .events import RequestEvent
from .types import (
    ApiKey,
    Collection,
    CollectionWithModels,
    Delivery,
    DeploymentTemplate,
    DetailedAttempt,
    DetailedDelivery,
    Estimate,
    Gpu,
    IssuedApiKey,
    ListedRequest,
    Model,
    ModelSchema,
    Price,
    Recovery,
    RetrievedRequest,
    RotatedApiKey,
    RotatedSigningSecret,
    SearchResults,
    SigningSecret,
    Storage,
    StoredFile,
    TimelineEvent,
    Token,
    WebhookTest,
    Wrapper,
)


class Requests(Session):
    """The requests of the account (docs/apps/history.md)."""

    def list(
        self,
        *,
        status: str | None = None,
        model_endpoint: str | None = None,
        created_after: Moment | None = None,
        created_before: Moment | None = None,
        metadata: Mapping[str, str] | None = None,
        expand: str | Sequence[str] | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Paged[ListedRequest]:
        """All that match, newest first. `limit` is the size of a page."""
        filters = (status, model_endpoint, created_after, created_before, metadata, expand, limit)
        return self._list(platform.history(*filters), timeout)

    def get(self, request_id: str, *, timeout: float | None = None) -> RetrievedRequest:
        """The request in any state."""
        return self._send(retrieval(request_id), timeout)

    def events(
        self,
        request_id: str,
        *,
        type: str | None = None,
        expand: str | Sequence[str] | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Paged[TimelineEvent]:
        """What has happened to the request, oldest first (docs/apps/timeline.md)."""
        return self._list(platform.timeline(request_id, type, expand, limit), timeout)

    def erase(self, request_id: str, *, timeout: float | None = None) -> None:
        """Erases input, output and files of an ended request."""
        self._send(platform.erase(request_id), timeout)

    def stream(
        self,
        *,
        request_ids: Sequence[str] | None = None,
        model_endpoint: str | None = None,
        logs: bool = False,
        last_event_id: str | None = None,
        timeout: float | None = None,
    ) -> Stream[RequestEvent]:
        """Each change of requests as it happens; ends when all requests of `request_ids` have ended."""
        return self._stream(streams.changes, timeout, request_ids, model_endpoint, logs, last_event_id)


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
        :param on_progress: Called with the bytes that are on their way or there, and all bytes; maybe in another thread.
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


class Webhooks(Session):
    """Deliveries and their signatures (docs/apps/webhooks.md)."""

    def verify(
        self,
        body: bytes | bytearray | memoryview | str,
        headers: Mapping[str, str],
        secret: str | Sequence[str],
        *,
        tolerance: float = 300,
        now: float | None = None,
    ) -> WebhookEvent:
        """As `verify_webhook`."""
        at = self._core.clock.now() if now is None else now
        return _webhooks.verify_webhook(body, headers, secret, tolerance=tolerance, now=at)

    def deliveries(
        self,
        *,
        request_id: str | None = None,
        status: str | None = None,
        event: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Paged[Delivery]:
        return self._list(platform.deliveries(request_id, status, event, limit), timeout)

    def delivery(self, delivery_id: str, *, timeout: float | None = None) -> DetailedDelivery:
        return self._send(platform.delivery(delivery_id), timeout)

    def attempt(self, delivery_id: str, number: int, *, timeout: float | None = None) -> DetailedAttempt:
        """An attempt as it was sent, from 1."""
        return self._send(platform.attempt(delivery_id, number), timeout)

    def replay(self, delivery_id: str, *, timeout: float | None = None) -> Delivery:
        return self._send(platform.replay(delivery_id), timeout)

    def recover(
        self, *, since: Moment, until: Moment | None = None, preview: bool = False, timeout: float | None = None
    ) -> Recovery:
        """Sends failed deliveries again that were created in a period; with `preview` it only counts them."""
        return self._send(platform.recover(since, until, preview), timeout)

    def secret(self, *, timeout: float | None = None) -> SigningSecret:
        return self._send(platform.signing_secret(), timeout)

    def rotate_secret(self, *, grace: float | None = None, timeout: float | None = None) -> RotatedSigningSecret:
        """`grace`: how long previous secrets stay valid, in seconds."""
        return self._send(platform.rotate_signing_secret(grace), timeout)

    def test(self, url: str, *, event: str | None = None, timeout: float | None = None) -> WebhookTest:
        """Sends a sample to a URL."""
        return self._send(platform.test_webhook(url, event), timeout)


class Catalog(Session):
    """What can be run, and what it costs (docs/apps/catalog.md). Needs no key."""

    def models(
        self,
        *,
        search: str | None = None,
        category: str | None = None,
        status: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Paged[Model]:
        return self._list(platform.models(search, category, status, limit), timeout)

    def model(self, name: str, *, timeout: float | None = None) -> Model | Wrapper:
        return self._send(platform.model(name), timeout)

    def schema(self, name: str, *, timeout: float | None = None) -> ModelSchema:
        return self._send(platform.schema(name), timeout)

    def wrappers(
        self,
        *,
        search: str | None = None,
        category: str | None = None,
        status: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Paged[Wrapper]:
        return self._list(platform.wrappers(search, category, status, limit), timeout)

    def wrapper(self, name: str, *, timeout: float | None = None) -> Wrapper:
        return self._send(platform.wrapper(name), timeout)

    def collections(self, *, limit: int | None = None, timeout: float | None = None) -> Paged[Collection]:
        return self._list(platform.collections(limit), timeout)

    def collection(self, slug: str, *, timeout: float | None = None) -> CollectionWithModels:
        return self._send(platform.collection(slug), timeout)

    def search(self, query: str, *, limit: int | None = None, timeout: float | None = None) -> SearchResults:
        return self._send(platform.search(query, limit), timeout)

    def pricing(
        self, *, model_endpoint: str | None = None, limit: int | None = None, timeout: float | None = None
    ) -> Paged[Price]:
        return self._list(platform.pricing(model_endpoint, limit), timeout)

    def estimate(self, model: str, input: Mapping[str, Any], *, timeout: float | None = None) -> Estimate:
        """What a run would cost. Nothing is run or reserved."""
        return self._send(platform.estimate(model, input), timeout)

    def gpus(self, *, limit: int | None = None, timeout: float | None = None) -> Paged[Gpu]:
        return self._list(platform.gpus(limit), timeout)

    def deployment_templates(
        self, *, limit: int | None = None, timeout: float | None = None
    ) -> Paged[DeploymentTemplate]:
        return self._list(platform.deployment_templates(limit), timeout)


class Keys(Session):
    """API keys, and tokens for browsers (docs/apps/keys.md, docs/apps/browsers.md)."""

    def list(self, *, limit: int | None = None, timeout: float | None = None) -> Paged[ApiKey]:
        return self._list(platform.keys(limit), timeout)

    def get(self, key_id: str, *, timeout: float | None = None) -> ApiKey:
        return self._send(platform.key(key_id), timeout)

    def create(
        self,
        name: str,
        *,
        scopes: Sequence[str] | None = None,
        model_endpoints: Sequence[str] | None | Unset = UNSET,
        monthly_budget: str | None | Unset = UNSET,
        expires_at: Moment | None | Unset = UNSET,
        origins: Sequence[str] | None | Unset = UNSET,
        timeout: float | None = None,
    ) -> IssuedApiKey:
        """A new key, whose secret is shown only here. What is not given is as with the calling key; `None` is no limit."""
        return self._send(
            platform.create_key(name, scopes, model_endpoints, monthly_budget, expires_at, origins), timeout
        )

    def revoke(self, key_id: str, *, timeout: float | None = None) -> None:
        self._send(platform.revoke_key(key_id), timeout)

    def rotate(
        self, key_id: str, *, grace_period: float | None = None, timeout: float | None = None
    ) -> RotatedApiKey:
        """A new secret of the key. `grace_period`: how long the previous one stays valid, in seconds."""
        return self._send(platform.rotate_key(key_id, grace_period), timeout)

    def create_token(
        self,
        *,
        expires_in: float | None = None,
        models: Sequence[str] | None = None,
        request: str | None = None,
        read_only: bool = False,
        user: str | None = None,
        origins: Sequence[str] | None = None,
        timeout: float | None = None,
    ) -> Token:
        """A token for a page. `expires_in`: seconds."""
        return self._send(platform.create_token(expires_in, models, request, read_only, user, origins), timeout)


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
            the call. Default: not if there is a `key`, because the same call would find them cancelled.
        """
        options = batches.waiting(
            webhook=webhook,
            webhook_events=webhook_events,
            metadata=metadata,
            start_timeout=start_timeout,
            cancel_after=cancel_after,
        )
        scope = Scope(self._core, timeout)
        programs = batches.batch(self._core, scope, model, inputs, key, options, cancel_on_abort)
        return Stream(self._runner.unordered(programs, max(1, concurrency)))
