"""What needs no server."""

import asyncio
import copy
import inspect
import io
import pickle
import re
import time
from pathlib import Path

import pytest
from inferlog import AsyncInferlog, Hooks, Inferlog, UnreachableError, errors, verify_webhook
from inferlog._async_runner import _within
from inferlog._protocol.platform import moment
from inferlog._protocol.sources import content_type_of, open_source
from inferlog._protocol.sse import Events
from inferlog.options import SystemClock

REPOSITORY = Path(__file__).parents[3]
NOWHERE = "http://127.0.0.1:9"


def name_of(code: str) -> str:
    return "".join(word.capitalize() for word in code.split("_")) + "Error"


def test_has_a_class_for_each_code() -> None:
    text = (REPOSITORY / "docs/reference/errors.md").read_text(encoding="utf-8")
    table = text.split("## Codes in `details.code`")[1].split("\n###")[0]
    codes = {code for row in re.findall(r"^\| (`[^|]*) \|", table, re.MULTILINE) for code in re.findall(r"`(\w+)`", row)}
    assert len(codes) > 40
    assert [code for code in sorted(codes) if not hasattr(errors, name_of(code))] == []


def test_errors_survive_pickling() -> None:
    failure = errors.Failure("No.", 402, "INSUFFICIENT_BALANCE", details={"code": "INSUFFICIENT_BALANCE"}, retry_after=2)
    for error in (
        errors.InsufficientBalanceError(failure),
        errors.RequestFailedError(failure, None),
        errors.DeadlineExceededError(2, "rq1"),
        errors.WebhookVerificationError("too_old", "The delivery is 301 s old"),
    ):
        for same in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
            assert (type(same), str(same), same.__dict__) == (type(error), str(error), error.__dict__)


def test_shows_its_key_nowhere() -> None:
    for key in ("key_1:hidden", "key_1:hidden\n\u2603"):
        client = Inferlog(url=NOWHERE, key=key, retries=0)
        with pytest.raises((UnreachableError, ValueError)) as caught:
            client.balance()
        shown = [repr(client), str(client), str(caught.value), repr(caught.value), repr(caught.value.__cause__)]
        assert [text for text in shown if "hidden" in text] == []


def test_refuses_names_that_lead_to_other_routes() -> None:
    client = Inferlog(url=NOWHERE, retries=0)
    for call in (
        lambda: client.requests.get(".."),
        lambda: client.requests.get(""),
        lambda: client.submit("echo", {}),
        lambda: client.submit("sandbox/../keys", {}),
        lambda: client.keys.revoke("."),
        lambda: Inferlog(url="127.0.0.1:8080"),
        lambda: Inferlog(url="http://user:password@127.0.0.1:8080"),
    ):
        with pytest.raises(ValueError):
            call()


def test_verifies_headers_and_bodies_of_any_kind() -> None:
    headers = {"webhook-id": "1", "webhook-timestamp": "10", "webhook-signature": "v1,\udcff"}
    with pytest.raises(errors.WebhookVerificationError) as caught:
        verify_webhook(b"{}", headers, "whsec_QUJD", now=10)
    assert caught.value.reason == "no_match"
    with pytest.raises(TypeError):
        verify_webhook({}, headers, "whsec_QUJD", now=10)  # type: ignore[arg-type]


def test_leaves_a_file_of_the_caller_as_it_was() -> None:
    file = io.BytesIO(b"head and body")
    file.seek(9)
    source = open_source(file)
    assert source.read_at(0, source.size) == b"body"
    source.close()
    assert file.read() == b"body"
    # A part in another thread may still be under way.
    with pytest.raises(ValueError):
        source.read_at(0, 1)


def test_knows_types_without_a_table_of_the_system() -> None:
    names = ["a.webp", "A.JPG", "a.flac", "a.csv", "a.csv.gz", "a", "a.unknown"]
    binary = "application/octet-stream"
    expected = ["image/webp", "image/jpeg", "audio/flac", "text/csv", binary, binary, binary]
    assert [content_type_of(name) for name in names] == expected


def test_submits_nothing_once_its_time_is_over() -> None:
    sent: list = []
    client = Inferlog(url=NOWHERE, hooks=Hooks(request=sent.append))
    with pytest.raises(errors.DeadlineExceededError):
        client.run("sandbox/echo", {"value": 1}, timeout=0)
    assert sent == []


def test_a_batch_has_its_time_from_the_first_item_on() -> None:
    clock = Stopped()
    items = iter(Inferlog(url=NOWHERE, clock=clock, retries=0).batches.run("sandbox/echo", [{}], timeout=1))
    clock.time += 2
    assert isinstance(next(items).error, UnreachableError)


class Stopped(SystemClock):
    """Stands still."""

    time = 0.0

    def monotonic(self) -> float:
        return self.time


def test_both_clients_have_the_same_calls() -> None:
    sync, other = Inferlog(url=NOWHERE), AsyncInferlog(url=NOWHERE)

    def calls(of: object) -> dict:
        found = {}
        for name, value in inspect.getmembers(of):
            if name.startswith("_") or name in ("close", "aclose"):
                continue
            if callable(value):
                found[name] = list(inspect.signature(value).parameters.values())
            else:
                found[name] = calls(value)
        return found

    assert len(calls(sync)) > 15
    assert strip(calls(sync)) == strip(calls(other))
    sync.close()


def strip(calls: dict) -> dict:
    return {
        name: strip(value) if isinstance(value, dict) else [(one.name, one.kind, one.default) for one in value]
        for name, value in calls.items()
    }


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_reads_events_however_they_are_cut(newline: str) -> None:
    text = newline.join(["\ufeff: hello", "id: 1", "data: a", "data: ☃", "", "event: x", "data:b", "", "data: half"])
    for size in range(1, 20):
        events = Events()
        raw = text.encode()
        found = [block for at in range(0, len(raw), size) for block in events.feed(raw[at : at + size])]
        # With \r alone, the end of a line shows with the next character only.
        assert [(block.event, block.data, block.id) for block in found] == [("message", "a\n☃", "1"), ("x", "b", None)]


def test_sends_times_with_their_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    from datetime import date, datetime, timedelta, timezone

    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    try:
        assert moment(datetime(2026, 1, 5, 12)) == "2026-01-05T17:00:00Z"
        assert moment(datetime(2026, 1, 5, 12, tzinfo=timezone(timedelta(hours=1)))) == "2026-01-05T11:00:00Z"
        assert moment(date(2026, 1, 5)) == "2026-01-05"
    finally:
        monkeypatch.undo()
        time.tzset()


def test_loses_no_cancellation_that_comes_with_the_answer() -> None:
    async def main(ticks: int) -> None:
        answer: "asyncio.Future[int]" = asyncio.get_running_loop().create_future()

        async def wait() -> int:
            return await answer

        task = asyncio.create_task(_within(60, wait()))
        await asyncio.sleep(0.001)
        answer.set_result(1)
        for _ in range(ticks):
            await asyncio.sleep(0)
        if task.cancel():
            with pytest.raises(asyncio.CancelledError):
                await task

    for ticks in range(6):
        asyncio.run(main(ticks))
