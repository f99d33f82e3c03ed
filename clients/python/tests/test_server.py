"""The sync client and a running server."""

import os
import signal
import threading
from pathlib import Path

import httpx
import pytest
from inferlog import DeadlineExceededError, Inferlog, RequestOutcomeError
from inferlog.errors import InvalidInputError, UpstreamFailureError

MIB = 1024 * 1024


def test_runs_a_model(client: Inferlog) -> None:
    assert client.run("sandbox/echo", {"value": "héllo ☃"}) == {"value": "héllo ☃"}


def test_raises_the_issues_of_an_input(client: Inferlog) -> None:
    with pytest.raises(InvalidInputError) as caught:
        client.run("sandbox/slow", {"seconds": "two"})
    assert caught.value.issues[0]["path"] == ["seconds"]


def test_raises_the_outcome_of_a_request(client: Inferlog) -> None:
    with pytest.raises(UpstreamFailureError) as caught:
        client.run("sandbox/provider-fail", {})
    assert isinstance(caught.value, RequestOutcomeError)
    assert caught.value.request is not None and caught.value.request["outcome"] == "provider_failed"


def test_follows_a_request(client: Inferlog) -> None:
    created = client.submit("sandbox/echo", {"value": 1}, metadata={"order": "4711"})
    statuses = [status["status"] for status in client.subscribe(created)]
    assert statuses[-1] == "COMPLETED"
    assert client.wait(created["request_id"])["metadata"] == {"order": "4711"}
    assert client.result(created)["output"] == {"value": 1}
    assert [found["id"] for found in client.requests.list(metadata={"order": "4711"})] == [created["request_id"]]
    changes = list(client.requests.stream(request_ids=[created["request_id"]]))
    assert changes[-1].data["status"] == "COMPLETED"


def test_streams_an_output(client: Inferlog) -> None:
    with client.stream("sandbox/stream", {"text": "Once upon a time", "delayMs": 0}) as events:
        shown = list(events)
    assert shown[0].type == "request" and shown[-1].type == "done"
    assert "".join(event.data for event in shown if event.type == "chunk") == "Once upon a time"
    request = shown[0].data
    behind = list(client.output(request, last_event_id=next(event.id for event in shown if event.type == "chunk")))
    assert "".join(event.data for event in behind if event.type == "chunk") in ("upon a time", "Once upon a time")


def test_cancels_the_request_when_it_is_interrupted(client: Inferlog) -> None:
    marked = {"test": "interrupted"}
    # The interrupt comes while the server holds the answer to the submit, so that its id is not known yet.
    interrupt = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    interrupt.start()
    with pytest.raises(KeyboardInterrupt):
        client.run("sandbox/slow", {"seconds": 60}, metadata=marked)
    (request,) = client.requests.list(metadata=marked)
    assert client.wait(request, timeout=10)["outcome"] == "cancelled"


def test_cancels_the_request_at_its_deadline(client: Inferlog) -> None:
    marked = {"test": "deadline"}
    with pytest.raises(DeadlineExceededError):
        client.run("sandbox/slow", {"seconds": 60}, metadata=marked, timeout=0.3)
    (request,) = client.requests.list(metadata=marked)
    assert client.wait(request, timeout=10)["outcome"] == "cancelled"


def test_uploads_in_parts_and_downloads_from_an_offset(client: Inferlog, tmp_path: Path) -> None:
    path = tmp_path / "numbers.bin"
    path.write_bytes(os.urandom(11 * MIB))
    begun: list = []
    progress: list = []
    url = client.files.upload(
        path,
        part_size=5 * MIB,
        on_begin=begun.append,
        on_progress=lambda sent, total: progress.append((sent, total)),
    )
    assert begun[0].keys() == {"uploadId", "uploadKey"}
    assert progress == sorted(progress) and progress[-1] == (11 * MIB, 11 * MIB)
    assert b"".join(client.files.download(url, offset=6 * MIB)) == path.read_bytes()[6 * MIB :]
    assert client.files.upload(path, resume=begun[0], part_size=5 * MIB) == url


def test_uploads_the_files_of_an_input(client: Inferlog, tmp_path: Path) -> None:
    path = tmp_path / "a cat.txt"
    path.write_text("purr")
    with open(path, "rb") as file:
        output = client.run("sandbox/echo", {"value": {"list": [path, file]}})
    for url in output["value"]["list"]:
        assert url.endswith("a%20cat.txt") or "cat" in url
        assert b"".join(client.files.download(url)) == b"purr"


def test_uploads_what_can_be_read_only_once(client: Inferlog) -> None:
    reader, writer = os.pipe()
    os.write(writer, b"purr")
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        url = client.files.upload(pipe, file_name="cat.txt")
    assert b"".join(client.files.download(url)) == b"purr"


def test_frees_the_connection_of_an_iterator_that_is_left(options: dict) -> None:
    with httpx.Client(limits=httpx.Limits(max_connections=1)) as http:
        client = Inferlog(**options, http_client=http, retries=0, timeout=5)
        for event in client.stream("sandbox/stream", {"count": 500, "delayMs": 20}):
            if event.type == "chunk":
                break
        client.cancel(client.status(next(iter(client.requests.list(limit=1)))["id"]))
        closed = client.stream("sandbox/stream", {"count": 500, "delayMs": 20}, cancel_on_disconnect=True)
        next(closed)
        closed.close()
        assert client.balance()["currency"] == "USD"


def test_runs_a_batch_in_threads(client: Inferlog) -> None:
    inputs = [{"value": 0}, {"wrong": 1}, *({"value": value} for value in range(2, 12))]
    first = {item.index: item for item in client.batches.run("sandbox/echo", inputs, key="batch-sync", concurrency=4)}
    assert isinstance(first[1].error, InvalidInputError)
    assert [first[index].output for index in range(12) if index != 1] == [one for one in inputs if "value" in one]
    count = len(list(client.requests.list(model_endpoint="sandbox/echo", limit=100)))
    again = {item.index: item.output for item in client.batches.run("sandbox/echo", inputs, key="batch-sync")}
    assert again == {index: item.output for index, item in first.items()}
    assert len(list(client.requests.list(model_endpoint="sandbox/echo", limit=100))) == count


def test_asks_the_platform(client: Inferlog) -> None:
    assert client.catalog.model("sandbox/echo")["modelEndpoint"] == "sandbox/echo"
    assert "input" in client.catalog.schema("sandbox/echo")
    assert "sandbox/slow" in [model["modelEndpoint"] for model in client.catalog.models(limit=3)]
    assert next(client.catalog.models(limit=3).pages())["limit"] == 3
    assert client.catalog.estimate("sandbox/slow", {"seconds": 2})["estimatedCost"] == "0.0002"
    assert client.catalog.search("echo")["models"][0]["name"] == "echo"
    assert client.usage(granularity="hour")["totals"]["requests"] >= 1
    assert "topup" in [event["type"] for event in client.billing_events(limit=100)]
    assert client.webhooks.secret()["key"].startswith("whsec_")
    assert list(client.webhooks.deliveries()) == []


def test_issues_keys_and_tokens(client: Inferlog, options: dict) -> None:
    key = client.keys.create("reader", scopes=["requests:read"], monthly_budget=None)
    assert key["scopes"] == ["requests:read"]
    rotated = client.keys.rotate(key["id"], grace_period=0)
    assert rotated["previousKeyExpiresAt"] is None
    token = client.keys.create_token(expires_in=60, models=["sandbox/echo"])
    with Inferlog(url=options["url"], key=lambda: token["token"]) as page:
        assert page.run("sandbox/echo", {"value": 1}) == {"value": 1}
    client.keys.revoke(key["id"])
    assert client.keys.get(key["id"])["revokedAt"] is not None
