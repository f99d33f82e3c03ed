"""Routes of the platform host that need no rules of their own: each is a call, typed by its answer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from enum import Enum
from typing import Any, Union

from ..types import (
    ApiKey,
    Balance,
    BillingEvent,
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
    RotatedApiKey,
    RotatedSigningSecret,
    SearchResults,
    SigningSecret,
    Storage,
    StoredFile,
    TimelineEvent,
    Token,
    Usage,
    WebhookTest,
    Wrapper,
)
from .calls import Call, Listing, given, model_path, moment, post, segment

#: A time: a date is midnight UTC, and a datetime without a time zone is local time.
Moment = Union[datetime, date, str]


class Unset(Enum):
    """In place of a value that the server chooses, where `None` is a choice of its own."""

    UNSET = "unset"


UNSET = Unset.UNSET


def _get(path: str, **query: Any) -> Call[Any]:
    return Call("GET", path, query=given(**query))


def _list(path: str, **query: Any) -> Listing[Any]:
    return Listing(_get(path, **query))


def history(
    status: str | None,
    model_endpoint: str | None,
    created_after: Moment | None,
    created_before: Moment | None,
    metadata: Mapping[str, str] | None,
    expand: Sequence[str] | None,
    limit: int | None,
) -> Listing[ListedRequest]:
    return _list(
        "/requests",
        status=status,
        modelEndpoint=model_endpoint,
        createdAfter=created_after,
        createdBefore=created_before,
        expand=None if expand is None else ",".join([expand] if isinstance(expand, str) else expand),
        limit=limit,
        **{f"metadata.{key}": value for key, value in (metadata or {}).items()},
    )


def timeline(request_id: str, type: str | None, expand: Sequence[str] | None, limit: int | None) -> Listing[TimelineEvent]:
    wanted = None if expand is None else ",".join([expand] if isinstance(expand, str) else expand)
    return _list(f"/requests/{segment(request_id)}/events", type=type, expand=wanted, limit=limit)


def erase(request_id: str) -> Call[None]:
    return Call("DELETE", f"/requests/{segment(request_id)}/payloads")


def files(source: str | None, content_type: str | None, request_id: str | None, limit: int | None) -> Listing[StoredFile]:
    return _list("/files", source=source, contentType=content_type, requestId=request_id, limit=limit)


def file(file_id: str) -> Call[StoredFile]:
    return _get(f"/files/{segment(file_id)}")


def delete_file(file_id: str) -> Call[None]:
    return Call("DELETE", f"/files/{segment(file_id)}")


def storage() -> Call[Storage]:
    return _get("/files/storage")


def deliveries(request_id: str | None, status: str | None, event: str | None, limit: int | None) -> Listing[Delivery]:
    return _list("/webhooks/deliveries", requestId=request_id, status=status, event=event, limit=limit)


def delivery(delivery_id: str) -> Call[DetailedDelivery]:
    return _get(f"/webhooks/deliveries/{segment(delivery_id)}")


def attempt(delivery_id: str, number: int) -> Call[DetailedAttempt]:
    return _get(f"/webhooks/deliveries/{segment(delivery_id)}/attempts/{int(number)}")


def replay(delivery_id: str) -> Call[Delivery]:
    return post(f"/webhooks/deliveries/{segment(delivery_id)}/replay", repeatable=False)


def recover(since: Moment, until: Moment | None, preview: bool) -> Call[Recovery]:
    body = given(since=moment(since), until=None if until is None else moment(until), preview=preview or None)
    return post("/webhooks/deliveries/recover", body, repeatable=False)


def signing_secret() -> Call[SigningSecret]:
    return _get("/webhooks/default/secret")


def rotate_signing_secret(grace: float | None) -> Call[RotatedSigningSecret]:
    body = None if grace is None else {"grace": math.ceil(grace)}
    return post("/webhooks/default/secret/rotate", body, repeatable=False)


def test_webhook(url: str, event: str | None) -> Call[WebhookTest]:
    # The server waits for the receiver.
    return post("/webhooks/test", given(url=url, event=event), repeatable=False, held=30.0)


def models(search: str | None, category: str | None, status: str | None, limit: int | None) -> Listing[Model]:
    return _list("/models", search=search, category=category, status=status, limit=limit)


def model(name: str) -> Call[Union[Model, Wrapper]]:
    return _get(f"/models{model_path(name)}")


def schema(name: str) -> Call[ModelSchema]:
    return _get(f"/models{model_path(name)}/schema")


def wrappers(search: str | None, category: str | None, status: str | None, limit: int | None) -> Listing[Wrapper]:
    return _list("/wrappers", search=search, category=category, status=status, limit=limit)


def wrapper(name: str) -> Call[Wrapper]:
    return _get(f"/wrappers{model_path(name)}")


def collections(limit: int | None) -> Listing[Collection]:
    return _list("/collections", limit=limit)


def collection(slug: str) -> Call[CollectionWithModels]:
    return _get(f"/collections/{segment(slug)}")


def search(query: str, limit: int | None) -> Call[SearchResults]:
    return _get("/search", query=query, limit=limit)


def pricing(model_endpoint: str | None, limit: int | None) -> Listing[Price]:
    return _list("/pricing", modelEndpoint=model_endpoint, limit=limit)


def estimate(name: str, input: Mapping[str, Any]) -> Call[Estimate]:
    return post("/pricing/estimate", {"modelEndpoint": name, "input": dict(input)})


def gpus(limit: int | None) -> Listing[Gpu]:
    return _list("/gpus", limit=limit)


def deployment_templates(limit: int | None) -> Listing[DeploymentTemplate]:
    return _list("/deployment-templates", limit=limit)


def usage(
    start: Moment | None,
    end: Moment | None,
    granularity: str | None,
    model_endpoint: str | None,
    key_id: str | None,
    group_by: str | None,
) -> Call[Usage]:
    return _get(
        "/usage",
        start=start,
        end=end,
        granularity=granularity,
        modelEndpoint=model_endpoint,
        keyId=key_id,
        groupBy=group_by,
    )


def balance() -> Call[Balance]:
    return _get("/account/balance")


def billing_events(type: str | None, request_id: str | None, limit: int | None) -> Listing[BillingEvent]:
    return _list("/billing/events", type=type, requestId=request_id, limit=limit)


def keys(limit: int | None) -> Listing[ApiKey]:
    return _list("/keys", limit=limit)


def key(key_id: str) -> Call[ApiKey]:
    return _get(f"/keys/{segment(key_id)}")


def create_key(
    name: str,
    scopes: Sequence[str] | None,
    model_endpoints: Sequence[str] | None | Unset,
    monthly_budget: str | None | Unset,
    expires_at: Moment | None | Unset,
    origins: Sequence[str] | None | Unset,
) -> Call[IssuedApiKey]:
    chosen: dict[str, Any] = {
        "modelEndpoints": model_endpoints,
        "monthlyBudget": monthly_budget,
        "expiresAt": moment(expires_at) if isinstance(expires_at, (datetime, date)) else expires_at,
        "origins": origins,
    }
    body: dict[str, Any] = {
        "name": name,
        **given(scopes=scopes),
        **{field: value for field, value in chosen.items() if value is not UNSET},
    }
    return post("/keys", body, repeatable=False)


def revoke_key(key_id: str) -> Call[None]:
    return Call("DELETE", f"/keys/{segment(key_id)}")


def rotate_key(key_id: str, grace: float | None) -> Call[RotatedApiKey]:
    body = None if grace is None else {"gracePeriodSeconds": math.ceil(grace)}
    return post(f"/keys/{segment(key_id)}/rotate", body, repeatable=False)


def create_token(
    expires_in: float | None,
    models: Sequence[str] | None,
    request: str | None,
    read_only: bool,
    user: str | None,
    origins: Sequence[str] | None,
) -> Call[Token]:
    body = given(
        expiresIn=None if expires_in is None else math.floor(expires_in),
        models=models,
        request=request,
        readOnly=read_only or None,
        user=user,
        origins=origins,
    )
    return post("/keys/tokens", body, repeatable=False)
