"""Bodies and queries of the API as they travel: JSON, with money as decimal text and times as ISO
8601 text.

Written by `npm run docs` from the server's declarations.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

if sys.version_info >= (3, 11):
    from typing import NotRequired
elif TYPE_CHECKING:
    from typing_extensions import NotRequired


Status: TypeAlias = Literal["IN_QUEUE", "IN_PROGRESS", "COMPLETED", "FAILED", "CANCELLED"]


Outcome: TypeAlias = Literal[
    "pending",
    "succeeded",
    "partial",
    "invalid_output",
    "provider_failed",
    "failed",
    "cancelled",
    "expired",
]


BillingStatus: TypeAlias = Literal["charged", "partial", "failed"]


WaitingFor: TypeAlias = Literal["provider_down", "worker", "credentials"]


StreamKind: TypeAlias = Literal["text", "items", "last", "openai"]


Category: TypeAlias = Literal["image", "video", "audio", "text", "utility"]


Unit: TypeAlias = Literal[
    "request",
    "image",
    "megapixel",
    "second",
    "1k_characters",
    "1k_tokens",
    "gpu_second",
]


Scope: TypeAlias = Literal[
    "requests:write",
    "requests:read",
    "files:write",
    "files:read",
    "webhooks:read",
    "webhooks:write",
    "billing:read",
    "keys:admin",
]


TimelineEventType: TypeAlias = Literal[
    "AttemptFailed",
    "AttemptLost",
    "AttemptStarted",
    "AttemptSucceeded",
    "CancelRequested",
    "DeliveryFailed",
    "DeliveryScheduled",
    "DispatchStarted",
    "ErasedFilesRemoved",
    "LateOutcomeIgnored",
    "MediaStored",
    "OutputReceived",
    "OutputRejected",
    "PayloadsErased",
    "ProgressReported",
    "ProviderAccepted",
    "ReplayRequested",
    "RequestCancelled",
    "RequestCompleted",
    "RequestFailed",
    "RequestForceFailed",
    "RequestRequeued",
    "RequestStarted",
    "RequestSubmitted",
    "RunTakenOver",
    "SweepRetried",
]


WebhookEventName: TypeAlias = Literal["start", "completed"]


DeliveryStatus: TypeAlias = Literal["pending", "delivering", "delivered", "failed"]


class SubmitRequestQuery(TypedDict):
    wait: NotRequired[str]
    """As `Prefer: wait=<seconds>`, 1 to 60."""


class _SubmitBody(TypedDict):
    webhook: NotRequired[str]
    """HTTPS URL that gets the events, at most 2048 characters."""
    webhook_events_filter: NotRequired[Sequence[WebhookEventName]]
    """Events to send; by default `["completed"]`."""


# The model's input, and two reserved fields that the model does not see.
SubmitBody: TypeAlias = "_SubmitBody | Mapping[str, Any]"


class CreatedRequest(TypedDict):
    """Accepted."""

    status: Literal["IN_QUEUE"]
    request_id: str
    """21 characters."""
    response_url: str
    """The result, once `COMPLETED`."""
    status_url: str
    cancel_url: str
    """Cancelled with GET."""
    metrics: NotRequired[RunMetrics]
    progress: NotRequired[float]
    """Completed share of the run, 0 to 1, as last reported by its provider. Only while it runs."""
    waiting_for: NotRequired[WaitingFor]
    """Why no run can begin now: the provider cannot be reached, no worker asks for jobs of the
    model, or the provider's credential is not configured. Absent otherwise.
    """
    waiting_reason: NotRequired[str]
    """The same as a sentence, with the known cause."""
    queue_position: Literal[0]
    """Always 0: the depth of the queue is not tracked."""
    logs: str
    """Log lines, joined by newlines."""
    webhook: NotRequired[str]
    """As submitted."""
    webhook_events_filter: NotRequired[list[WebhookEventName]]
    """As submitted."""


class RetrievedRequest(TypedDict):
    """The request in any state."""

    id: str
    modelEndpoint: str
    """`{owner}/{model}`"""
    status: Status
    input: Any
    """As submitted, without the reserved webhook keys; null once erased."""
    output: Any
    """As the model defines it; null without one."""
    error: str | None
    details: NotRequired[FailureDetails]
    metadata: dict[str, str]
    """As given in `X-Request-Metadata`."""
    inferenceTime: int | None
    """Time of the run, in ms; null while unknown."""
    delayTime: int | None
    """From accepted to started, in ms; null while unknown."""
    createdAt: str
    outcome: Outcome
    cost: str
    """Charged, in USD, as a decimal."""
    media: list[MediaItem]
    """Stored copies of the media in `output`."""
    response_url: str
    """The result, once `COMPLETED`."""
    status_url: str
    cancel_url: str
    """Cancelled with GET."""
    waitingFor: NotRequired[WaitingFor]
    """Why no run can begin now: the provider cannot be reached, no worker asks for jobs of the
    model, or the provider's credential is not configured. Absent otherwise.
    """
    waitingReason: NotRequired[str]
    """The same as a sentence, with the known cause."""
    billingStatus: BillingStatus | None
    """null until the request has ended."""
    expiresAt: str
    """When input, output and files are erased, if the request has ended by then."""
    erasedAt: str | None
    """When input, output and files were erased; they are null and empty since then."""


SubmitRequestAnswer: TypeAlias = "CreatedRequest | RetrievedRequest"


class GetRequestStatusQuery(TypedDict):
    wait: NotRequired[str]
    """Holds the answer until the status changes, for at most this many seconds, 0 to 60."""


class RequestStatus(TypedDict):
    """The current state of the request."""

    status: Status
    request_id: str
    """21 characters."""
    response_url: str
    """The result, once `COMPLETED`."""
    status_url: str
    cancel_url: str
    """Cancelled with GET."""
    metrics: NotRequired[RunMetrics]
    progress: NotRequired[float]
    """Completed share of the run, 0 to 1, as last reported by its provider. Only while it runs."""
    waiting_for: NotRequired[WaitingFor]
    """Why no run can begin now: the provider cannot be reached, no worker asks for jobs of the
    model, or the provider's credential is not configured. Absent otherwise.
    """
    waiting_reason: NotRequired[str]
    """The same as a sentence, with the known cause."""
    queue_position: Literal[0]
    """Always 0: the depth of the queue is not tracked."""
    logs: str
    """Log lines, joined by newlines."""


class FailedRequestStatus(TypedDict):
    """`FAILED` for good: the provider could not run it."""

    status: Literal["FAILED"]
    request_id: str
    """21 characters."""
    response_url: str
    """The result, once `COMPLETED`."""
    status_url: str
    cancel_url: str
    """Cancelled with GET."""
    metrics: NotRequired[RunMetrics]
    progress: NotRequired[float]
    """Completed share of the run, 0 to 1, as last reported by its provider. Only while it runs."""
    waiting_for: NotRequired[WaitingFor]
    """Why no run can begin now: the provider cannot be reached, no worker asks for jobs of the
    model, or the provider's credential is not configured. Absent otherwise.
    """
    waiting_reason: NotRequired[str]
    """The same as a sentence, with the known cause."""
    queue_position: Literal[0]
    """Always 0: the depth of the queue is not tracked."""
    logs: list[str]
    """Log lines."""
    error: str
    """Why the provider could not run it."""
    details: NotRequired[FailureDetails]


class Result(TypedDict):
    """The result object."""

    id: str
    modelEndpoint: str
    """`{owner}/{model}`"""
    status: Status
    input: Any
    """As submitted, without the reserved webhook keys; null once erased."""
    output: Any
    """As the model defines it; null without one."""
    error: str | None
    details: NotRequired[FailureDetails]
    metadata: dict[str, str]
    """As given in `X-Request-Metadata`."""
    inferenceTime: int | None
    """Time of the run, in ms; null while unknown."""
    delayTime: int | None
    """From accepted to started, in ms; null while unknown."""
    createdAt: str
    outcome: Outcome
    cost: str
    """Charged, in USD, as a decimal."""
    media: list[MediaItem]
    """Stored copies of the media in `output`."""


class ResultWithoutOutput(TypedDict):
    """Completed without a usable output: `INVALID_OUTPUT` or `UPSTREAM_FAILURE`. Not billed."""

    id: str
    modelEndpoint: str
    """`{owner}/{model}`"""
    status: Status
    input: Any
    """As submitted, without the reserved webhook keys; null once erased."""
    output: Any
    """As the model defines it; null without one."""
    error: str | None
    details: ResultWithoutOutputDetails
    metadata: dict[str, str]
    """As given in `X-Request-Metadata`."""
    inferenceTime: int | None
    """Time of the run, in ms; null while unknown."""
    delayTime: int | None
    """From accepted to started, in ms; null while unknown."""
    createdAt: str
    outcome: Outcome
    cost: str
    """Charged, in USD, as a decimal."""
    media: list[MediaItem]
    """Stored copies of the media in `output`."""
    request_id: str


class ResultWithoutOutputDetails(TypedDict):
    code: Literal["INVALID_OUTPUT", "UPSTREAM_FAILURE"]
    validationErrors: NotRequired[list[Violation]]
    upstream: NotRequired[UpstreamError]


# The current state of the request, and whether the cancel was accepted.
CancelledRequestStatus: TypeAlias = "CancelledRequestStatusOption | CancelledRequestStatusFailed"


class CancelledRequestStatusOption(TypedDict):
    status: Status
    request_id: str
    """21 characters."""
    response_url: str
    """The result, once `COMPLETED`."""
    status_url: str
    cancel_url: str
    """Cancelled with GET."""
    metrics: NotRequired[RunMetrics]
    progress: NotRequired[float]
    """Completed share of the run, 0 to 1, as last reported by its provider. Only while it runs."""
    waiting_for: NotRequired[WaitingFor]
    """Why no run can begin now: the provider cannot be reached, no worker asks for jobs of the
    model, or the provider's credential is not configured. Absent otherwise.
    """
    waiting_reason: NotRequired[str]
    """The same as a sentence, with the known cause."""
    queue_position: Literal[0]
    """Always 0: the depth of the queue is not tracked."""
    logs: str
    """Log lines, joined by newlines."""
    cancel: Cancellation


class CancelledRequestStatusFailed(TypedDict):
    status: Literal["FAILED"]
    request_id: str
    """21 characters."""
    response_url: str
    """The result, once `COMPLETED`."""
    status_url: str
    cancel_url: str
    """Cancelled with GET."""
    metrics: NotRequired[RunMetrics]
    progress: NotRequired[float]
    """Completed share of the run, 0 to 1, as last reported by its provider. Only while it runs."""
    waiting_for: NotRequired[WaitingFor]
    """Why no run can begin now: the provider cannot be reached, no worker asks for jobs of the
    model, or the provider's credential is not configured. Absent otherwise.
    """
    waiting_reason: NotRequired[str]
    """The same as a sentence, with the known cause."""
    queue_position: Literal[0]
    """Always 0: the depth of the queue is not tracked."""
    logs: list[str]
    """Log lines."""
    error: str
    """Why the provider could not run it."""
    details: NotRequired[FailureDetails]
    cancel: Cancellation


class ListRequestsQuery(TypedDict):
    status: NotRequired[Status]
    """Only this status."""
    modelEndpoint: NotRequired[str]
    """Only this model, `{owner}/{model}`."""
    createdAfter: NotRequired[str]
    """Only requests accepted after this time: a date-time with its offset, or a date (midnight
    UTC).
    """
    createdBefore: NotRequired[str]
    """Only requests accepted before this time."""
    expand: NotRequired[str | Sequence[str]]
    """Adds to each request: payloads, billing, comma-separated."""
    page: NotRequired[int]
    """From 1. At least 1. Default: 1."""
    limit: NotRequired[int]
    """Of one page. 1 to 100. Default: 20."""
    cursor: NotRequired[str]
    """`next` of the page before; in the place of `page`."""


class Requests(TypedDict):
    """A page of the account's requests."""

    page: int
    limit: int
    total: int
    """The number of items on all pages."""
    totalPages: int
    data: list[ListedRequest]
    next: str | None
    """Pass it as `cursor` to get the next page, regardless of later additions; null on the last
    page.
    """


ListRequestEventsQuery = TypedDict(
    "ListRequestEventsQuery",
    {
        # Only events of this type.
        "type": "NotRequired[TimelineEventType]",
        # Adds to each event: hashes, states, comma-separated.
        "expand": "NotRequired[str | Sequence[str]]",
        # From 1. At least 1. Default: 1.
        "page": "NotRequired[int]",
        # Of one page. 1 to 100. Default: 20.
        "limit": "NotRequired[int]",
        # `next` of the page before; in the place of `page`.
        "cursor": "NotRequired[str]",
    },
)


class Timeline(TypedDict):
    """A page of what happened to a request, oldest first."""

    page: int
    limit: int
    total: int
    """The number of items on all pages."""
    totalPages: int
    data: list[TimelineEvent]
    next: str | None
    """Pass it as `cursor` to get the next page, regardless of later additions; null on the last
    page.
    """


class StreamRequestsQuery(TypedDict):
    request_id: NotRequired[Sequence[str]]
    """Only this request; repeated: only these. The stream ends when all of them have ended. At
    most 100 items.
    """
    modelEndpoint: NotRequired[str]
    """Only requests for this model."""
    logs: NotRequired[Literal["0", "1"]]
    """`1`: the event that ends a request has its log lines."""
    last_event_id: NotRequired[str]
    """As the header `Last-Event-ID`, which wins over it."""


class StreamRequestOutputQuery(TypedDict):
    last_event_id: NotRequired[str]
    """As the header `Last-Event-ID`, which wins over it."""


class ListDeliveriesQuery(TypedDict):
    requestId: NotRequired[str]
    """Only this request."""
    status: NotRequired[DeliveryStatus]
    """Only this status."""
    event: NotRequired[WebhookEventName]
    """Only this event."""
    page: NotRequired[int]
    """From 1. At least 1. Default: 1."""
    limit: NotRequired[int]
    """Of one page. 1 to 100. Default: 10."""
    cursor: NotRequired[str]
    """`next` of the page before; in the place of `page`."""


class Deliveries(TypedDict):
    """A page of the account's deliveries."""

    page: int
    limit: int
    total: int
    """The number of items on all pages."""
    totalPages: int
    data: list[Delivery]
    next: str | None
    """Pass it as `cursor` to get the next page, regardless of later additions; null on the last
    page.
    """


class DetailedDelivery(TypedDict):
    """A delivery with its attempts."""

    id: str
    """The `webhook-id`: the same each time it is sent."""
    requestId: str
    event: WebhookEventName
    url: str
    status: DeliveryStatus
    attempts: int
    """Attempts so far, including replays."""
    lastResponseStatus: int | None
    """The receiver's status; null without an answer."""
    lastError: str | None
    """`timeout`, `connection_failed`, `tls_error`, `http_<status>`, `redirect_refused`, `gone`,
    `private_address` or `dns_error`.
    """
    nextAttemptAt: str | None
    """When it is sent next, while it is `pending`."""
    deliveredAt: str | None
    """When the receiver last accepted it."""
    createdAt: str
    updatedAt: str
    attemptHistory: list[DeliveryAttempt]
    """At most the last 100, newest last."""


class DetailedAttempt(TypedDict):
    """An attempt with its request and its response."""

    attempt: int
    """From 1."""
    at: str
    responseStatus: int | None
    """The receiver's status; null without an answer."""
    durationMs: int | None
    """null while it is under way, and when its end is unknown."""
    error: str | None
    """`timeout`, `connection_failed`, `tls_error`, `http_<status>`, `redirect_refused`, `gone`,
    `private_address` or `dns_error`.
    """
    trigger: Literal["schedule", "replay", "recover"]
    request: WebhookRequest
    response: WebhookResponse | None
    """null without an answer."""


class Delivery(TypedDict):
    """A delivery of a webhook."""

    id: str
    """The `webhook-id`: the same each time it is sent."""
    requestId: str
    event: WebhookEventName
    url: str
    status: DeliveryStatus
    attempts: int
    """Attempts so far, including replays."""
    lastResponseStatus: int | None
    """The receiver's status; null without an answer."""
    lastError: str | None
    """`timeout`, `connection_failed`, `tls_error`, `http_<status>`, `redirect_refused`, `gone`,
    `private_address` or `dns_error`.
    """
    nextAttemptAt: str | None
    """When it is sent next, while it is `pending`."""
    deliveredAt: str | None
    """When the receiver last accepted it."""
    createdAt: str
    updatedAt: str


class RecoverBody(TypedDict):
    """A time, as date-times with an offset."""

    since: str
    """Deliveries created at or after this time."""
    until: NotRequired[str]
    """Deliveries created before this time; now by default."""
    preview: NotRequired[bool]
    """Only counts the deliveries, and sends none."""


class RecoveryPreview(TypedDict):
    """With `preview`: nothing is sent."""

    count: int
    """Deliveries that would be sent again."""


class Recovery(TypedDict):
    """Accepted; the work continues after the answer."""

    count: int
    """Deliveries that are sent again."""


class SigningSecret(TypedDict):
    """The secret in force."""

    key: str
    """`whsec_` and base64 text."""


class RotateSigningSecret(TypedDict):
    """May be absent."""

    grace: NotRequired[int]
    """The longest time that previous secrets stay valid, in seconds; 86400 by default. 0: they are
    invalid at once. 0 to 86400.
    """


class RotatedSigningSecret(TypedDict):
    """The new secret, valid at once."""

    key: str
    """`whsec_` and base64 text."""
    previousKeyExpiresAt: str | None
    """Until then deliveries are also signed with the previous secret; null if there is none."""


class TestWebhook(TypedDict):
    """A receiver."""

    url: str
    """Where the sample is sent."""
    event: NotRequired[WebhookEventName]
    """Which event is sent; `completed` by default."""


class WebhookTest(TypedDict):
    """What was sent, and what came back."""

    responseStatus: int | None
    """The receiver's status; null without an answer."""
    durationMs: int | None
    """null while it is under way, and when its end is unknown."""
    error: str | None
    """`timeout`, `connection_failed`, `tls_error`, `http_<status>`, `redirect_refused`, `gone`,
    `private_address` or `dns_error`.
    """
    request: WebhookRequest
    response: WebhookResponse | None
    """null without an answer."""


class UploadBody(TypedDict):
    """The file that will be uploaded. Other fields are ignored."""

    file_name: str
    """Becomes the last segment of the file's URL, without characters that a name cannot have. 1 to
    1024 characters.
    """
    content_type: str
    """A media type such as `image/png`. The PUT must have the same `Content-Type`. At most 1024
    characters.
    """
    size: NotRequired[int | None]
    """Bytes; null or absent when unknown. If given, another size is refused. At most 5368709120
    for a file in one piece, 53687091200000 for one in parts, and what the account has room for.
    """


class Upload(TypedDict):
    """The upload URL, and the URL of the file."""

    upload_url: str
    """PUT the bytes to it, with the declared `Content-Type` and without `Authorization`. Good for
    an hour.
    """
    file_url: str
    """The canonical URL of the file: 404 until all bytes have come."""


class MultipartUpload(TypedDict):
    """The ids for uploading parts, and the URL of the file."""

    fileUrl: str
    """The canonical URL of the file: 404 until all bytes have come."""
    uploadId: str
    """Of the upload in parts."""
    uploadKey: str
    """Of the file."""


class GetPartUrlQuery(TypedDict):
    uploadKey: str
    """The `uploadKey` that the upload began with. 1 to 2048 characters."""
    uploadId: str
    """The `uploadId` that the upload began with. 1 to 2048 characters."""
    partNumber: int
    """From 1, without gaps. 1 to 10000."""


class PartUrl(TypedDict):
    """The upload URL of a part."""

    presignedUrl: str
    """PUT the part's bytes to it, without `Authorization`, and keep the `ETag` of the answer. Good
    for an hour.
    """


class ListPartsQuery(TypedDict):
    uploadKey: str
    """The `uploadKey` that the upload began with. 1 to 2048 characters."""
    uploadId: str
    """The `uploadId` that the upload began with. 1 to 2048 characters."""


class UploadInParts(TypedDict):
    """A multipart upload and its parts so far."""

    fileUrl: str
    """The canonical URL of the file: 404 until all bytes have come."""
    fileName: str
    contentType: str
    size: int | None
    """Declared bytes; null without a declaration."""
    parts: list[UploadedPart]
    """The parts so far, by ascending number."""


class CompleteBody(TypedDict):
    """The parts of the file. Other fields are ignored."""

    uploadId: str
    """1 to 2048 characters."""
    uploadKey: str
    """1 to 2048 characters."""
    parts: Sequence[Part]
    """All uploaded parts, in any order, each once. 1 to 10000 items."""


class CompletedUpload(TypedDict):
    """The file can be read."""

    fileUrl: str
    """The canonical URL of the file."""


class ListFilesQuery(TypedDict):
    source: NotRequired[Literal["upload", "output"]]
    """Only files uploaded by a client, or only outputs of requests."""
    contentType: NotRequired[str]
    """Only this media type, whatever its parameters, or all types of a kind: `image/*`."""
    requestId: NotRequired[str]
    """Only outputs of this request."""
    page: NotRequired[int]
    """From 1. At least 1. Default: 1."""
    limit: NotRequired[int]
    """Of one page. 1 to 100. Default: 20."""
    cursor: NotRequired[str]
    """`next` of the page before; in the place of `page`."""


class Files(TypedDict):
    """A page of the account's files."""

    page: int
    limit: int
    total: int
    """The number of items on all pages."""
    totalPages: int
    data: list[StoredFile]
    next: str | None
    """Pass it as `cursor` to get the next page, regardless of later additions; null on the last
    page.
    """


class Storage(TypedDict):
    """What the files of the account take."""

    usedBytes: int
    """Of all files, with uploads that may still arrive at their declared size."""
    maxBytes: int | None
    """The quota; null without one."""


class StoredFile(TypedDict):
    """A stored file."""

    id: str
    fileName: str
    url: str
    """Public address of the file: anyone who knows it can fetch it."""
    contentType: str
    size: int | None
    """Bytes; the declared size while `pending`, null without one."""
    status: Literal["pending", "uploaded"]
    source: Literal["upload", "output"]
    requestId: str | None
    """The request whose output it is; null for an upload."""
    checksums: StoredFileChecksums
    createdAt: str
    uploadedAt: str | None
    """null while it is `pending`."""
    expiresAt: str
    """Its URL answers 410 from this time on."""


class StoredFileChecksums(TypedDict):
    sha256: str | None
    """Hex; null while unknown."""


class ListModelsQuery(TypedDict):
    search: NotRequired[str]
    """Only items with these words, best first; one wrong letter is forgiven. At most 200
    characters.
    """
    category: NotRequired[Category]
    """Only this category."""
    status: NotRequired[Literal["active", "deprecated"]]
    """Only this status."""
    page: NotRequired[int]
    """From 1. At least 1. Default: 1."""
    limit: NotRequired[int]
    """Of one page. 1 to 100. Default: 20."""
    cursor: NotRequired[str]
    """`next` of the page before; in the place of `page`."""


class Models(TypedDict):
    """A page of the models."""

    page: int
    limit: int
    total: int
    """The number of items on all pages."""
    totalPages: int
    data: list[Model]
    next: str | None
    """Pass it as `cursor` to get the next page, regardless of later additions; null on the last
    page.
    """


class Model(TypedDict):
    """A model."""

    modelEndpoint: str
    """`owner/name`, the address for requests."""
    owner: str
    name: str
    displayName: str
    description: str
    category: Category
    tags: list[str]
    status: Literal["active", "deprecated"]
    """A deprecated one still runs, but should not be used any more."""
    recommended: int | None
    """Its place in the curated list of its category, from 1; null: not in it."""
    pricing: Pricing
    expectedSeconds: float
    """How long a run usually takes, according to the publisher of the model."""
    stream: StreamKind | None
    """How the chunks of its output stream add up: joined (`text`), listed (`items`), the last one
    (`last`), or as chunks of OpenAI's API (`openai`). null: the output comes whole.
    """
    exampleInput: Any
    """A valid input."""
    updatedAt: str
    kind: Literal["model"]
    expected: Expected | None
    """Learned from recent runs; null without enough runs and without a queue."""


class Wrapper(TypedDict):
    """A product on a model: it runs like a model, with a simpler input."""

    modelEndpoint: str
    """`owner/name`, the address for requests."""
    owner: str
    name: str
    displayName: str
    description: str
    category: Category
    tags: list[str]
    status: Literal["active", "deprecated"]
    """A deprecated one still runs, but should not be used any more."""
    recommended: int | None
    """Its place in the curated list of its category, from 1; null: not in it."""
    pricing: Pricing
    expectedSeconds: float
    """How long a run usually takes, according to the publisher of the model."""
    stream: StreamKind | None
    """How the chunks of its output stream add up: joined (`text`), listed (`items`), the last one
    (`last`), or as chunks of OpenAI's API (`openai`). null: the output comes whole.
    """
    exampleInput: Any
    """A valid input."""
    updatedAt: str
    kind: Literal["wrapper"]
    base: str
    """The model that runs."""
    template: dict[str, Any]
    """The input of `base`, with `{{name}}` where the input goes in."""
    defaults: dict[str, Any]
    """Values of placeholders that the input omits."""
    expected: Expected | None
    """Learned from recent runs; null without enough runs and without a queue."""


# A model or a wrapper, see `kind`.
GetModelAnswer: TypeAlias = "Model | Wrapper"


class ModelSchema(TypedDict):
    """JSON Schema 2020-12 of the input, and of the result's `output`."""

    input: dict[str, Any]
    output: dict[str, Any]


class ListWrappersQuery(TypedDict):
    search: NotRequired[str]
    """Only items with these words, best first; one wrong letter is forgiven. At most 200
    characters.
    """
    category: NotRequired[Category]
    """Only this category."""
    status: NotRequired[Literal["active", "deprecated"]]
    """Only this status."""
    page: NotRequired[int]
    """From 1. At least 1. Default: 1."""
    limit: NotRequired[int]
    """Of one page. 1 to 100. Default: 20."""
    cursor: NotRequired[str]
    """`next` of the page before; in the place of `page`."""


class Wrappers(TypedDict):
    """A page of the wrappers."""

    page: int
    limit: int
    total: int
    """The number of items on all pages."""
    totalPages: int
    data: list[Wrapper]
    next: str | None
    """Pass it as `cursor` to get the next page, regardless of later additions; null on the last
    page.
    """


class ListCollectionsQuery(TypedDict):
    page: NotRequired[int]
    """From 1. At least 1. Default: 1."""
    limit: NotRequired[int]
    """Of one page. 1 to 100. Default: 20."""
    cursor: NotRequired[str]
    """`next` of the page before; in the place of `page`."""


class Collections(TypedDict):
    """A page of the collections."""

    page: int
    limit: int
    total: int
    """The number of items on all pages."""
    totalPages: int
    data: list[Collection]
    next: str | None
    """Pass it as `cursor` to get the next page, regardless of later additions; null on the last
    page.
    """


class CollectionWithModels(TypedDict):
    """A curated list with its models and wrappers."""

    slug: str
    name: str
    description: str
    models: list[Model | Wrapper]
    """Models and wrappers in the order of the list, without those that are no longer offered."""


class SearchCatalogQuery(TypedDict):
    query: NotRequired[str]
    """Words, in any order. Required. 1 to 200 characters."""
    limit: NotRequired[int]
    """The most items of each kind. 1 to 100. Default: 20."""


class SearchResults(TypedDict):
    """The results of each kind, best first."""

    query: str
    """The query as sent."""
    models: list[Model]
    wrappers: list[Wrapper]
    collections: list[Collection]


class ListPricesQuery(TypedDict):
    modelEndpoint: NotRequired[str]
    """Only this model or wrapper: `owner/name`. The list is empty when it does not exist."""
    page: NotRequired[int]
    """From 1. At least 1. Default: 1."""
    limit: NotRequired[int]
    """Of one page. 1 to 100. Default: 20."""
    cursor: NotRequired[str]
    """`next` of the page before; in the place of `page`."""


class Prices(TypedDict):
    """A page of the prices."""

    page: int
    limit: int
    total: int
    """The number of items on all pages."""
    totalPages: int
    data: list[Price]
    next: str | None
    """Pass it as `cursor` to get the next page, regardless of later additions; null on the last
    page.
    """


class EstimateRequest(TypedDict):
    modelEndpoint: str
    """`owner/name`"""
    input: Mapping[str, Any]
    """As it would be submitted."""


class Estimate(TypedDict):
    """What a run of this input would cost."""

    modelEndpoint: str
    quantity: str
    """Billable units, as a decimal."""
    unit: Unit
    estimatedCost: str
    """USD, as a decimal."""
    currency: Literal["USD"]
    isMaximum: bool
    """The units are known only after the run: `quantity` and `estimatedCost` are the maximum."""
    maximumCost: str
    """Reserved until the run has ended, in USD: no run costs more."""
    expectedSeconds: float
    """How long a run usually takes, according to the publisher of the model."""
    expected: Expected | None
    """Learned from recent runs; null without enough runs and without a queue."""


class ListGpusQuery(TypedDict):
    page: NotRequired[int]
    """From 1. At least 1. Default: 1."""
    limit: NotRequired[int]
    """Of one page. 1 to 100. Default: 20."""
    cursor: NotRequired[str]
    """`next` of the page before; in the place of `page`."""


class Gpus(TypedDict):
    """A page of the GPUs."""

    page: int
    limit: int
    total: int
    """The number of items on all pages."""
    totalPages: int
    data: list[Gpu]
    next: str | None
    """Pass it as `cursor` to get the next page, regardless of later additions; null on the last
    page.
    """


class ListDeploymentTemplatesQuery(TypedDict):
    page: NotRequired[int]
    """From 1. At least 1. Default: 1."""
    limit: NotRequired[int]
    """Of one page. 1 to 100. Default: 20."""
    cursor: NotRequired[str]
    """`next` of the page before; in the place of `page`."""


class DeploymentTemplates(TypedDict):
    """A page of the public deployment templates."""

    page: int
    limit: int
    total: int
    """The number of items on all pages."""
    totalPages: int
    data: list[DeploymentTemplate]
    next: str | None
    """Pass it as `cursor` to get the next page, regardless of later additions; null on the last
    page.
    """


class DeploymentTemplate(TypedDict):
    """What to start on a GPU so that it runs a kind of model."""

    id: str
    name: str
    description: str
    category: Category
    image: str
    gpuIds: list[str]
    """GPUs that it runs on, as in `GET /gpus`."""
    minReplicas: int
    maxReplicas: int
    env: dict[str, str]
    """Environment variables."""
    ports: list[int]
    """TCP ports that it listens on."""
    public: bool
    createdAt: str


class Balance(TypedDict):
    """What the account has."""

    balance: str
    """Top-ups minus charges, including reservations."""
    reserved: str
    """Reserved for requests that have not ended."""
    available: str
    """The balance minus reservations. Negative when a credit limit is used."""
    creditLimit: str
    """How far below zero `available` may go."""
    currency: Literal["USD"]
    updatedAt: str | None
    """Of the last billing event; null without one."""


class GetUsageQuery(TypedDict):
    start: NotRequired[str]
    """A date-time with its offset, or a date (UTC). Default: 30 days before `end`."""
    end: NotRequired[str]
    """A date-time with its offset, or a date (UTC). Default: now."""
    granularity: NotRequired[Literal["hour", "day", "month"]]
    """The length of a bucket. Default: "day"."""
    modelEndpoint: NotRequired[str]
    """Only this model: `owner/name`."""
    keyId: NotRequired[str]
    """Only requests submitted with this key."""
    groupBy: NotRequired[Literal["key"]]
    """`key`: a row for each key, instead of one for all keys."""


class Usage(TypedDict):
    """What was charged."""

    start: str
    """Begin of the first bucket, at or before the requested start."""
    end: str
    """End of the last bucket, at or after the requested end."""
    granularity: Literal["hour", "day", "month"]
    currency: Literal["USD"]
    data: list[UsageDataItem]
    """Ordered by bucket, then key if grouped by it, then model. Buckets without charges are
    omitted.
    """
    totals: UsageTotals
    """Of all of `data`."""


class UsageDataItem(TypedDict):
    bucket: str
    """When the hour, day or month began (UTC)."""
    keyId: NotRequired[str]
    """Only with `groupBy=key`: the key that submitted the requests."""
    modelEndpoint: str
    unit: Unit
    """What `quantity` counts."""
    quantity: str
    """Charged units, as a decimal."""
    requests: int
    """That were charged."""
    cost: str
    """USD, as a decimal."""


class UsageTotals(TypedDict):
    """Of all of `data`."""

    requests: int
    """That were charged."""
    quantity: dict[str, str]
    """By unit."""
    cost: str
    """USD, as a decimal."""


ListBillingEventsQuery = TypedDict(
    "ListBillingEventsQuery",
    {
        # Only this request.
        "requestId": "NotRequired[str]",
        # Only this type.
        "type": "NotRequired[Literal[\"topup\", \"hold\", \"charge\", \"release\", \"revert\"]]",
        # From 1. At least 1. Default: 1.
        "page": "NotRequired[int]",
        # Of one page. 1 to 100. Default: 20.
        "limit": "NotRequired[int]",
        # `next` of the page before; in the place of `page`.
        "cursor": "NotRequired[str]",
    },
)


class BillingEvents(TypedDict):
    """A page of the account's billing events."""

    page: int
    limit: int
    total: int
    """The number of items on all pages."""
    totalPages: int
    data: list[BillingEvent]
    next: str | None
    """Pass it as `cursor` to get the next page, regardless of later additions; null on the last
    page.
    """


class ListKeysQuery(TypedDict):
    page: NotRequired[int]
    """From 1. At least 1. Default: 1."""
    limit: NotRequired[int]
    """Of one page. 1 to 100. Default: 20."""
    cursor: NotRequired[str]
    """`next` of the page before; in the place of `page`."""


class ApiKeys(TypedDict):
    """A page of the account's keys."""

    page: int
    limit: int
    total: int
    """The number of items on all pages."""
    totalPages: int
    data: list[ApiKey]
    next: str | None
    """Pass it as `cursor` to get the next page, regardless of later additions; null on the last
    page.
    """


class NewApiKey(TypedDict):
    """An absent field has the value of the key that makes the call."""

    name: str
    """1 to 100 characters, none of them a control character."""
    scopes: NotRequired[Sequence[Scope]]
    """What it may do. 1 to 100 items."""
    modelEndpoints: NotRequired[Sequence[str] | None]
    """Models as `owner/model`, which may be published later; null: every model."""
    monthlyBudget: NotRequired[str | None]
    """USD above 0 with at most 9 decimals; null: as much as the account has."""
    expiresAt: NotRequired[str | None]
    """In the future; null: never."""
    origins: NotRequired[Sequence[str] | None]
    """Origins of web pages, such as `https://app.example`: scheme, host and a port that is not the
    default one. Only their pages may use the key, and its keys and tokens name no others; null:
    no page may use it, and its keys and tokens name any.
    """


class IssuedApiKey(TypedDict):
    """A new API key."""

    id: str
    name: str
    prefix: str
    """The beginning of the key, without its secret."""
    scopes: list[Scope]
    """What it may do."""
    modelEndpoints: list[str] | None
    """The models, `owner/model`, whose requests it may submit and see; null: every model's."""
    monthlyBudget: str | None
    """The most that its requests may cost in a calendar month (UTC), in USD; null: no limit of its
    own.
    """
    createdAt: str
    lastUsedAt: str | None
    """To the minute; null when it was not used, as far as is known."""
    origins: list[str] | None
    """The origins of web pages that may use it, and that its keys and tokens may name; null: no
    page may use it, and they may name any.
    """
    expiresAt: str | None
    """The key is invalid from this time on; null: never."""
    rotatedAt: str | None
    """When its secret was last rotated."""
    revokedAt: str | None
    """When it was revoked."""
    key: str
    """`<id>:<secret>`, shown only here."""


class ApiKey(TypedDict):
    """An API key without its secret."""

    id: str
    name: str
    prefix: str
    """The beginning of the key, without its secret."""
    scopes: list[Scope]
    """What it may do."""
    modelEndpoints: list[str] | None
    """The models, `owner/model`, whose requests it may submit and see; null: every model's."""
    monthlyBudget: str | None
    """The most that its requests may cost in a calendar month (UTC), in USD; null: no limit of its
    own.
    """
    createdAt: str
    lastUsedAt: str | None
    """To the minute; null when it was not used, as far as is known."""
    origins: list[str] | None
    """The origins of web pages that may use it, and that its keys and tokens may name; null: no
    page may use it, and they may name any.
    """
    expiresAt: str | None
    """The key is invalid from this time on; null: never."""
    rotatedAt: str | None
    """When its secret was last rotated."""
    revokedAt: str | None
    """When it was revoked."""


class RotateApiKey(TypedDict):
    """May be absent."""

    gracePeriodSeconds: NotRequired[int]
    """How long the previous secret stays valid; 86400 by default. 0 to 604800."""


class RotatedApiKey(TypedDict):
    """An API key with its new secret, valid at once."""

    id: str
    name: str
    prefix: str
    """The beginning of the key, without its secret."""
    scopes: list[Scope]
    """What it may do."""
    modelEndpoints: list[str] | None
    """The models, `owner/model`, whose requests it may submit and see; null: every model's."""
    monthlyBudget: str | None
    """The most that its requests may cost in a calendar month (UTC), in USD; null: no limit of its
    own.
    """
    createdAt: str
    lastUsedAt: str | None
    """To the minute; null when it was not used, as far as is known."""
    origins: list[str] | None
    """The origins of web pages that may use it, and that its keys and tokens may name; null: no
    page may use it, and they may name any.
    """
    expiresAt: str | None
    """The key is invalid from this time on; null: never."""
    rotatedAt: str | None
    """When its secret was last rotated."""
    revokedAt: str | None
    """When it was revoked."""
    key: str
    """`<id>:<secret>`, shown only here."""
    previousKeyExpiresAt: str | None
    """The previous secret is valid until this time; null: it is invalid."""


class NewToken(TypedDict):
    """`models`, `request` or `readOnly` must be given. `models` and `request` exclude each other."""

    expiresIn: NotRequired[int]
    """Seconds; 600 by default. 1 to 3600."""
    models: NotRequired[Sequence[str]]
    """It submits to these models, `owner/model`, and follows and cancels what it, or a token of
    the same `user`, has submitted. With `readOnly`: it reads requests of these models. 1 to 20
    items.
    """
    request: NotRequired[str]
    """It follows and cancels this request of the account."""
    readOnly: NotRequired[bool]
    """It reads the requests that the key may read. With `request`: it does not cancel."""
    user: NotRequired[str]
    """Your name of the person at the page, 1 to 200 characters, with `models` only. Tokens with
    the same name open each other's requests. The server stores only a keyed hash of it. 1 to
    200 characters.
    """
    origins: NotRequired[Sequence[str]]
    """Origins of web pages, such as `https://app.example`: scheme, host and a port that is not the
    default one. Only their pages may use it. By default those of the key. 1 to 10 items.
    """


class Token(TypedDict):
    """A token, shown only here."""

    token: str
    """Sent like a key: `Authorization: Key <token>`."""
    expiresAt: str
    models: list[str] | None
    request: str | None
    readOnly: bool
    origins: list[str] | None
    """null: no page of another origin may use it."""


class ErrorBody(TypedDict):
    """Invalid or malformed, a request that has not completed, failed or was cancelled, an unknown
    event id to resume from, or bytes or parts of a file that are not as required
    (`details.code`).
    """

    error: str | list[Issue]
    request_id: str
    """Correlation id for support, also in `x-request-id`. Not the id of an inference request."""
    details: NotRequired[ErrorDetails]


# The body of a webhook.
WebhookEvent: TypeAlias = "StartEvent | CompletedEventWithoutOutput | CompletedEvent"


class RunMetrics(TypedDict):
    inference_time: NotRequired[float]
    """Seconds that the run took; whole seconds so far while it runs."""
    expected_time: NotRequired[float]
    """Expected seconds of a run when the request was accepted; only until it has ended."""


class FailureDetails(TypedDict):
    """What the provider says of the error. Absent if it says nothing besides the message."""

    code: Literal["REQUEST_FAILED", "UPSTREAM_FAILURE"]
    upstream: UpstreamError


class MediaItem(TypedDict):
    path: str
    """JSON pointer (RFC 6901) to the file's URL in `output`."""
    fileId: str
    url: str
    """Public address of the file: anyone who knows it can fetch it."""
    thumbnailUrl: str | None
    """WebP thumbnail of a picture or film; null without one."""
    contentType: str
    size: int
    """Bytes."""


class Violation(TypedDict):
    """One breach of the model's output schema."""

    instancePath: str
    """JSON pointer into the output."""
    message: str


# What the provider's answer says of the error besides its message, as far as it does.
UpstreamError = TypedDict(
    "UpstreamError",
    {
        "status": "NotRequired[int]",
        "code": "NotRequired[str]",
        "param": "NotRequired[str]",
        "type": "NotRequired[str]",
    },
)


class Cancellation(TypedDict):
    accepted: bool
    """Whether the request is cancelled, or its provider has been asked to stop it."""
    reason: str


class ListedRequest(TypedDict):
    """The request as `GET /requests/{id}` shows it; `input`, `output` and `billing` when expanded."""

    id: str
    modelEndpoint: str
    """`{owner}/{model}`"""
    status: Status
    error: str | None
    details: NotRequired[FailureDetails]
    metadata: dict[str, str]
    """As given in `X-Request-Metadata`."""
    inferenceTime: int | None
    """Time of the run, in ms; null while unknown."""
    delayTime: int | None
    """From accepted to started, in ms; null while unknown."""
    createdAt: str
    outcome: Outcome
    cost: str
    """Charged, in USD, as a decimal."""
    media: list[MediaItem]
    """Stored copies of the media in `output`."""
    response_url: str
    """The result, once `COMPLETED`."""
    status_url: str
    cancel_url: str
    """Cancelled with GET."""
    waitingFor: NotRequired[WaitingFor]
    """Why no run can begin now: the provider cannot be reached, no worker asks for jobs of the
    model, or the provider's credential is not configured. Absent otherwise.
    """
    waitingReason: NotRequired[str]
    """The same as a sentence, with the known cause."""
    billingStatus: BillingStatus | None
    """null until the request has ended."""
    expiresAt: str
    """When input, output and files are erased, if the request has ended by then."""
    erasedAt: str | None
    """When input, output and files were erased; they are null and empty since then."""
    input: NotRequired[Any]
    """As submitted, without the reserved webhook keys; null once erased."""
    output: NotRequired[Any]
    """As the model defines it; null without one."""
    payloadsOmitted: NotRequired[Literal[True]]
    """The payloads were requested but exceed the answer: `input` and `output` are null."""
    billing: NotRequired[RequestBill]


TimelineEvent = TypedDict(
    "TimelineEvent",
    {
        # Position on the log: opaque and permanent.
        "position": "str",
        # What happened, such as `RequestStarted` or `AttemptFailed`. Types may be added: ignore
        # those you do not know.
        "type": "str",
        "at": "str",
        # Fields of that type, as `docs/apps/timeline.md` lists them; more may be added. That of a
        # webhook delivery has its `deliveryId`.
        "data": "dict[str, Any]",
        "chain": "NotRequired[TimelineLink]",
        "state": "NotRequired[TimelineState]",
    },
)


class DeliveryAttempt(TypedDict):
    at: str
    responseStatus: int | None
    """The receiver's status; null without an answer."""
    durationMs: int | None
    """null while it is under way, and when its end is unknown."""
    error: str | None
    """`timeout`, `connection_failed`, `tls_error`, `http_<status>`, `redirect_refused`, `gone`,
    `private_address` or `dns_error`.
    """
    trigger: Literal["schedule", "replay", "recover"]


class WebhookRequest(TypedDict):
    method: Literal["POST"]
    url: str
    headers: dict[str, str]
    """By lower-case name. Timestamp and signature of a past attempt are made again, from its time
    and the secrets that are valid now.
    """
    body: str | None
    """As sent; null if it is omitted."""
    bodySize: int
    """Bytes."""
    omitted: Literal["erased", "too_large", "not_kept", "unreadable"] | None
    """Why there is no body: `erased`, `too_large` (above 64 KiB) or `unreadable`."""


class WebhookResponse(TypedDict):
    status: int
    headers: dict[str, str]
    """Some of them, such as `content-type`, at most 256 characters each."""
    body: str | None
    """The first 1024 bytes; null if they are not text or omitted."""
    isTruncated: bool
    """Whether the body went on."""
    omitted: Literal["erased", "too_large", "not_kept", "unreadable"] | None
    """Why there are no headers and no body: `not_kept` for a 2xx without a body, or `erased`."""


class UploadedPart(TypedDict):
    partNumber: int
    etag: str
    """Without quotes."""
    size: int
    """Bytes."""


class Part(TypedDict):
    partNumber: int
    """1 to 10000."""
    etag: str
    """The `ETag` of the answer to the PUT; its quotes, and a `W/` before them, are ignored. 1 to
    132 characters.
    """


class Pricing(TypedDict):
    unit: Unit
    unitPrice: str
    """USD, as a decimal."""
    currency: Literal["USD"]
    minimumCharge: str
    """The least that a charged run costs, in USD."""


class Expected(TypedDict):
    p50Seconds: float | None
    """Median of recent runs, from start to end; null without enough runs."""
    p90Seconds: float | None
    """90th percentile of recent runs; null without enough runs."""
    samples: int
    """Recent runs behind these figures; 0 without enough."""
    waitSeconds: float | None
    """The likely wait of a request submitted now; null while no run can begin: the provider cannot
    be reached, or no worker asks for jobs of the model.
    """


class Collection(TypedDict):
    """A curated list."""

    slug: str
    name: str
    description: str


class Price(TypedDict):
    """The price of one model or wrapper."""

    modelEndpoint: str
    unit: Unit
    unitPrice: str
    """USD, as a decimal."""
    currency: Literal["USD"]
    minimumCharge: str
    """The least that a charged run costs, in USD."""
    effectiveFrom: str
    """When the model was last published, with this price."""


class Gpu(TypedDict):
    """A kind of GPU."""

    id: str
    name: str
    manufacturer: str
    memoryGb: int
    pricePerHour: str
    """USD, as a decimal."""
    currency: Literal["USD"]
    availability: Literal["available", "limited", "unavailable"]
    maxCount: int
    """The most GPUs in one deployment."""


# An entry of the account's ledger.
BillingEvent = TypedDict(
    "BillingEvent",
    {
        # Permanent and unique on this log.
        "id": "str",
        # `topup`: paid in. `hold`: reserved at submit. `charge`: taken from the hold. `release`:
        # returned at the end of a request. `revert`: returned for an abandoned request.
        "type": "Literal[\"topup\", \"hold\", \"charge\", \"release\", \"revert\"]",
        # null for a top-up.
        "requestId": "str | None",
        # null for a top-up.
        "modelEndpoint": "str | None",
        # USD, positive; `type` says what for.
        "amount": "str",
        "currency": "Literal[\"USD\"]",
        # The account's balance including reservations: only top-ups and charges change it.
        "balanceAfter": "str",
        "createdAt": "str",
        # Of the event on the log, as `inferlog audit` and `inferlog log` show it.
        "position": "str",
    },
)


class Issue(TypedDict):
    """One reason why a request is invalid."""

    path: list[str | float]
    """From the body's root: property names and array indexes; a header or query parameter by its
    name.
    """
    message: str
    code: str
    """The violated rule, as one word."""


class ErrorDetails(TypedDict):
    code: str
    validationErrors: NotRequired[list[Violation]]
    retryAfter: NotRequired[float]
    """Seconds."""
    scope: NotRequired[Literal["account", "key", "model", "node", "address", "connection", "requests:write", "requests:read", "files:write", "files:read", "webhooks:read", "webhooks:write", "billing:read", "keys:admin"]]
    """The owner of the limit, or the scope that the key lacks."""
    required: NotRequired[str]
    """The most that the request may cost, in USD."""
    available: NotRequired[str]
    """The account's balance minus its holds, in USD."""
    limit: NotRequired[int | str]
    """For 413 the limit in bytes of the file or of the account's files; for 429 the number of
    calls or of concurrent requests; for 402 the key's monthly budget in USD.
    """
    spent: NotRequired[str]
    """The part of the budget that the key has spent or reserved, in USD."""
    resetsAt: NotRequired[str]
    """When the next month begins."""
    window: NotRequired[int | None]
    """The period of the limit in seconds; null for a limit of concurrent use."""
    fields: NotRequired[list[str]]
    """The fields that would grant the key too much."""
    used: NotRequired[int]
    """Bytes of the account's files."""
    fileUrl: NotRequired[str]
    """The file that already has these bytes."""
    reason: NotRequired[Literal["missing", "etag_mismatch", "too_small", "wrong_size", "not_named"]]
    """Why the parts cannot be completed to a file."""
    partNumbers: NotRequired[list[int]]
    """The parts that the reason concerns."""
    segment: NotRequired[str]
    """The archived segment that cannot be read."""
    upstream: NotRequired[UpstreamError]


class StartEvent(TypedDict):
    """The result object of a request that a provider has started."""

    id: str
    modelEndpoint: str
    """`{owner}/{model}`"""
    status: Literal["IN_PROGRESS"]
    input: Any
    """As submitted, without the reserved webhook keys; null once erased."""
    output: None
    error: str | None
    metadata: dict[str, str]
    """As given in `X-Request-Metadata`."""
    inferenceTime: int | None
    """Time of the run, in ms; null while unknown."""
    delayTime: int | None
    """From accepted to started, in ms; null while unknown."""
    createdAt: str
    outcome: Outcome
    cost: str
    """Charged, in USD, as a decimal."""
    media: list[MediaItem]
    """Stored copies of the media in `output`."""
    event: Literal["start"]


class CompletedEventWithoutOutput(TypedDict):
    """The body of the 422: completed without a usable output. Not billed."""

    id: str
    modelEndpoint: str
    """`{owner}/{model}`"""
    status: Status
    input: Any
    """As submitted, without the reserved webhook keys; null once erased."""
    output: Any
    """As the model defines it; null without one."""
    error: str | None
    details: CompletedEventWithoutOutputDetails
    metadata: dict[str, str]
    """As given in `X-Request-Metadata`."""
    inferenceTime: int | None
    """Time of the run, in ms; null while unknown."""
    delayTime: int | None
    """From accepted to started, in ms; null while unknown."""
    createdAt: str
    outcome: Outcome
    cost: str
    """Charged, in USD, as a decimal."""
    media: list[MediaItem]
    """Stored copies of the media in `output`."""
    request_id: str
    event: Literal["completed"]
    billingStatus: BillingStatus


class CompletedEventWithoutOutputDetails(TypedDict):
    code: Literal["INVALID_OUTPUT", "UPSTREAM_FAILURE"]
    validationErrors: NotRequired[list[Violation]]
    upstream: NotRequired[UpstreamError]


class CompletedEvent(TypedDict):
    """The result object of a request that has ended, successfully or not: see `outcome`."""

    id: str
    modelEndpoint: str
    """`{owner}/{model}`"""
    status: Status
    input: Any
    """As submitted, without the reserved webhook keys; null once erased."""
    output: Any
    """As the model defines it; null without one."""
    error: str | None
    details: NotRequired[FailureDetails]
    metadata: dict[str, str]
    """As given in `X-Request-Metadata`."""
    inferenceTime: int | None
    """Time of the run, in ms; null while unknown."""
    delayTime: int | None
    """From accepted to started, in ms; null while unknown."""
    createdAt: str
    outcome: Outcome
    cost: str
    """Charged, in USD, as a decimal."""
    media: list[MediaItem]
    """Stored copies of the media in `output`."""
    event: Literal["completed"]
    billingStatus: BillingStatus


class RequestBill(TypedDict):
    """The price of the request, and its billing."""

    unit: Unit
    unitPrice: str
    """Of one unit, in USD, as a decimal."""
    minimumCharge: str
    """What a charged run costs at least, in USD, as a decimal."""
    currency: Literal["USD"]
    quotedQuantity: str | None
    maxQuantity: str
    """Units that are charged at most, as a decimal."""
    hold: str
    """Reserved from submit to the end; the charge never exceeds it, in USD, as a decimal."""
    quantity: str | None
    charged: str
    """As `cost`, in USD, as a decimal."""


class TimelineLink(TypedDict):
    """The event's place in the hash chain of its stream. The request is one stream, and each
    webhook delivery another.
    """

    ordinal: int
    """Number of the event in its stream, from 0."""
    previous: str | None
    """Hash of the event before it in its stream; null for the first."""
    hash: str
    """SHA-256 over that hash and this event, base64url."""


class TimelineState(TypedDict):
    """The request and its deliveries after the event."""

    status: Status
    outcome: Outcome
    phase: Literal["queued", "claimed", "running", "storing", "ended"]
    """More exact than `status`: `claimed` is handed to the provider, `storing` stores the output's
    files.
    """
    attempt: int
    """Number of the latest run; 0 before the first."""
    startedAt: str | None
    """When a run first started."""
    dueAt: str | None
    """From when on the next run, or the next try to store the files, may begin; null otherwise."""
    retries: TimelineStateRetries
    """Runs repeated after an error of transport, after their server was gone, and by the sweep."""
    progress: float | None
    """0 to 1, as last reported."""
    logLines: int
    cancelRequested: bool
    input: Literal["stored", "erased"]
    output: Literal["none", "stored", "erased"]
    """Whether the log had the output. The request shows it only once it has completed with one."""
    violations: int
    """Where the output breaks the model's schema."""
    files: int
    """Stored files of the output."""
    hold: str
    """Held for the request, in USD; `0` once it has ended."""
    cost: str
    """Charged, in USD."""
    error: str | None
    deliveries: list[DeliveryMoment]
    """Webhook deliveries scheduled by then."""


class TimelineStateRetries(TypedDict):
    """Runs repeated after an error of transport, after their server was gone, and by the sweep."""

    transport: int
    lost: int
    sweep: int


class DeliveryMoment(TypedDict):
    deliveryId: str
    event: WebhookEventName
    status: DeliveryStatus
    attempts: int
    nextAttemptAt: str | None
    """When it is sent next, while it is `pending`."""
    lastResponseStatus: int | None
    lastError: str | None
