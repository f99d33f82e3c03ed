from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._async_session import AsyncPaged, AsyncSession
from .._protocol import platform
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


class AsyncCatalog(AsyncSession):
    """What can be run, and what it costs (docs/apps/catalog.md). Needs no key."""

    def models(
        self,
        *,
        search: str | None = None,
        category: str | None = None,
        status: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> AsyncPaged[Model]:
        return self._list(platform.models(search, category, status, limit), timeout)

    async def model(self, name: str, *, timeout: float | None = None) -> Model | Wrapper:
        return await self._send(platform.model(name), timeout)

    async def schema(self, name: str, *, timeout: float | None = None) -> ModelSchema:
        return await self._send(platform.schema(name), timeout)

    def wrappers(
        self,
        *,
        search: str | None = None,
        category: str | None = None,
        status: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> AsyncPaged[Wrapper]:
        return self._list(platform.wrappers(search, category, status, limit), timeout)

    async def wrapper(self, name: str, *, timeout: float | None = None) -> Wrapper:
        return await self._send(platform.wrapper(name), timeout)

    def collections(self, *, limit: int | None = None, timeout: float | None = None) -> AsyncPaged[Collection]:
        return self._list(platform.collections(limit), timeout)

    async def collection(self, slug: str, *, timeout: float | None = None) -> CollectionWithModels:
        return await self._send(platform.collection(slug), timeout)

    async def search(self, query: str, *, limit: int | None = None, timeout: float | None = None) -> SearchResults:
        return await self._send(platform.search(query, limit), timeout)

    def pricing(
        self, *, model_endpoint: str | None = None, limit: int | None = None, timeout: float | None = None
    ) -> AsyncPaged[Price]:
        return self._list(platform.pricing(model_endpoint, limit), timeout)

    async def estimate(self, model: str, input: Mapping[str, Any], *, timeout: float | None = None) -> Estimate:
        """What a run would cost. Nothing is run or reserved."""
        return await self._send(platform.estimate(model, input), timeout)

    def gpus(self, *, limit: int | None = None, timeout: float | None = None) -> AsyncPaged[Gpu]:
        return self._list(platform.gpus(limit), timeout)

    def deployment_templates(
        self, *, limit: int | None = None, timeout: float | None = None
    ) -> AsyncPaged[DeploymentTemplate]:
        return self._list(platform.deployment_templates(limit), timeout)
