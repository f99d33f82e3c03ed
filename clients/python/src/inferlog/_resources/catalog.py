from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._protocol import platform
from .._session import Paged, Session
from ..types import (
    Collection,
    CollectionWithModels,
    DeploymentTemplate,
    Estimate,
    Gpu,
    Model,
    ModelSchema,
    Price,
    SearchResults,
    Wrapper,
)


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
