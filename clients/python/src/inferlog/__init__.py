"""The client of inferlog.

    from inferlog import Inferlog

    client = Inferlog(url="http://127.0.0.1:8080", key="…")
    print(client.run("sandbox/echo", {"value": "hello"}))
"""

from . import errors, types
from ._async_client import AsyncInferlog
from ._async_session import AsyncPaged, AsyncStream
from ._client import Inferlog
from ._protocol.batches import BatchItem
from ._protocol.places import RequestRef
from ._session import Paged, Stream
from ._webhooks import WebhookEvent, verify_webhook
from .errors import (
    ApiError,
    DeadlineExceededError,
    InferlogError,
    RequestOutcomeError,
    UnexpectedAnswerError,
    UnreachableError,
    WebhookVerificationError,
)
from .events import OutputEvent, RequestEvent
from .options import Answered, AsyncClock, Clock, Exchange, Failed, Hooks, RunOptions, StreamOptions

__all__ = [
    "Answered",
    "ApiError",
    "AsyncClock",
    "AsyncInferlog",
    "AsyncPaged",
    "AsyncStream",
    "BatchItem",
    "Clock",
    "DeadlineExceededError",
    "Exchange",
    "Failed",
    "Hooks",
    "Inferlog",
    "InferlogError",
    "OutputEvent",
    "Paged",
    "RequestEvent",
    "RequestOutcomeError",
    "RequestRef",
    "RunOptions",
    "Stream",
    "StreamOptions",
    "UnexpectedAnswerError",
    "UnreachableError",
    "WebhookEvent",
    "WebhookVerificationError",
    "errors",
    "types",
    "verify_webhook",
]
