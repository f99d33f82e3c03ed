"""Makes the calls of the behaviour table with `Inferlog` and `AsyncInferlog`, and reports. Decides nothing."""

import asyncio
import ssl
import time
from dataclasses import asdict, is_dataclass

import httpx
from inferlog import AsyncInferlog, Hooks, Inferlog

from .arguments import arguments_of, snake

ERROR_FIELDS = {
    "code": "code",
    "status": "status",
    "issues": "issues",
    "details": "details",
    "request": "request",
    "reason": "reason",
    "request_id": "requestId",
}


#: Reading the certificates of the system takes httpx longer than a whole case.
TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


class Clock:
    """Begins at `now`, grows by the pauses that it is asked for, and lets none of them take time."""

    def __init__(self, now: float) -> None:
        self._now = now / 1_000
        self._slept = 0.0
        self.pauses: list = []

    def now(self) -> float:
        return self._now + self._slept

    def monotonic(self) -> float:
        return time.monotonic() + self._slept

    def sleep(self, seconds: float) -> None:
        self._slept += seconds
        self.pauses.append(seconds * 1_000)


class AsyncClock(Clock):
    async def sleep(self, seconds: float) -> None:  # type: ignore[override]
        super().sleep(seconds)
        await asyncio.sleep(0)


def options_of(client: dict, clock: Clock) -> dict:
    options = {"url": client["url"], "queue_url": client.get("queueUrl"), "clock": clock, "headers": client.get("headers")}
    key = client.get("key")
    if isinstance(key, list):
        turns = iter(range(len(key)))
        options["key"] = lambda: key[next(turns, len(key) - 1)]
    else:
        options["key"] = key
    if "retries" in client:
        options["retries"] = client["retries"]
    if "timeout" in client:
        options["timeout"] = client["timeout"] / 1_000
    hooks = client.get("hooks")
    if hooks == "throw":
        options["hooks"] = Hooks(request=fail, response=fail, retry=fail)
    elif hooks is not None:
        options["hooks"] = Hooks(request=lambda told: hooks["headers"])
    return options


def fail(told: object) -> None:
    raise RuntimeError("of a hook")


def plain(value: object) -> object:
    """As JSON."""
    if is_dataclass(value):
        shown = {name: field for name, field in asdict(value).items() if name in ("type", "data", "index") or field is not None}
        error = getattr(value, "error", None)
        if error is not None:
            return {"index": value.index, "error": error_of(error)}
        return {"index": value.index, "output": value.output} if "index" in shown else shown
    return value


def error_of(error: BaseException) -> dict:
    classes = [kind.__name__ for kind in type(error).__mro__ if kind.__module__.startswith("inferlog")]
    found = {"classes": classes or [type(error).__name__], "message": str(error)}
    for name, wire in ERROR_FIELDS.items():
        if hasattr(error, name):
            found[wire] = getattr(error, name)
    retry_after = getattr(error, "retry_after", None)
    found["retryAfter"] = None if retry_after is None else round(retry_after * 1_000, 3)
    return found


def method_of(client: object, name: str) -> object:
    for part in name.split("."):
        client = getattr(client, snake(part))
    return client


def play_sync(options: dict, call: dict) -> dict:
    clock, reports, items = Clock(options["now"]), [], []
    try:
        args, kwargs = arguments_of(call, reports)
        http = httpx.Client(verify=TLS)
        with http, Inferlog(http_client=http, **options_of(options, clock)) as client:
            given = method_of(client, call["do"])(*args, **kwargs)
            if call["do"] == "files.download":
                return ended(clock, reports, value=b"".join(given).decode())
            if not hasattr(given, "__iter__") or isinstance(given, (dict, str, list)):
                return ended(clock, reports, value=plain(given))
            iterator = iter(given)
            for item in iterator if call.get("take") != 0 else ():
                items.append(plain(item))
                if len(items) == call.get("take"):
                    break
            getattr(iterator, "close")()
            return ended(clock, reports, items=items)
    except Exception as error:
        return ended(clock, reports, items=items, error=error_of(error))


async def play_async(options: dict, call: dict) -> dict:
    clock, reports, items = AsyncClock(options["now"]), [], []
    try:
        args, kwargs = arguments_of(call, reports)
        http = httpx.AsyncClient(verify=TLS)
        async with http, AsyncInferlog(http_client=http, **options_of(options, clock)) as client:
            given = method_of(client, call["do"])(*args, **kwargs)
            if call["do"] == "files.download":
                return ended(clock, reports, value=b"".join([chunk async for chunk in given]).decode())
            if not hasattr(given, "__aiter__"):
                return ended(clock, reports, value=plain(await given if hasattr(given, "__await__") else given))
            iterator = given.__aiter__()
            if call.get("take") != 0:
                async for item in iterator:
                    items.append(plain(item))
                    if len(items) == call.get("take"):
                        break
            await iterator.aclose()
            return ended(clock, reports, items=items)
    except asyncio.CancelledError:
        return ended(clock, reports, aborted=True)
    except Exception as error:
        return ended(clock, reports, items=items, error=error_of(error))


def ended(clock: Clock, reports: list, **fields: object) -> dict:
    return {"pauses": clock.pauses, "reports": reports, **fields}
