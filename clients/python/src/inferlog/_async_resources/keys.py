from __future__ import annotations

from collections.abc import Sequence

from .._async_session import AsyncPaged, AsyncSession
from .._protocol import platform
from .._protocol.platform import UNSET, Moment, Unset
from ..types import ApiKey, IssuedApiKey, RotatedApiKey, Token


class AsyncKeys(AsyncSession):
    """API keys, and tokens for browsers (docs/apps/keys.md, docs/apps/browsers.md)."""

    def list(self, *, limit: int | None = None, timeout: float | None = None) -> AsyncPaged[ApiKey]:
        return self._list(platform.keys(limit), timeout)

    async def get(self, key_id: str, *, timeout: float | None = None) -> ApiKey:
        return await self._send(platform.key(key_id), timeout)

    async def create(
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
        return await self._send(
            platform.create_key(name, scopes, model_endpoints, monthly_budget, expires_at, origins), timeout
        )

    async def revoke(self, key_id: str, *, timeout: float | None = None) -> None:
        await self._send(platform.revoke_key(key_id), timeout)

    async def rotate(
        self, key_id: str, *, grace_period: float | None = None, timeout: float | None = None
    ) -> RotatedApiKey:
        """A new secret of the key. `grace_period`: how long the previous one stays valid, in seconds."""
        return await self._send(platform.rotate_key(key_id, grace_period), timeout)

    async def create_token(
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
        return await self._send(platform.create_token(expires_in, models, request, read_only, user, origins), timeout)
