"""The async client and a running server: what differs from the sync one."""

import asyncio
import os
import threading

import httpx
import pytest
from inferlog import AsyncInferlog, DeadlineExceededError

MIB = 1024 * 1024


def test_runs_many_at_once(options: dict) -> None:
    async def main() -> None:
        async with AsyncInferlog(**options) as client:
            runs = [client.run("sandbox/echo", {"value": value}) for value in range(20)]
            assert [output["value"] for output in await asyncio.gather(*runs)] == list(range(20))

    asyncio.run(main())


def test_asks_a_coroutine_function_for_its_key_once(options: dict) -> None:
    asked = []

    async def key() -> str:
        asked.append(1)
        await asyncio.sleep(0)
        return str(options["key"])

    async def main() -> None:
        async with AsyncInferlog(url=options["url"], key=key) as client:
            await asyncio.gather(*(client.balance() for _ in range(5)))

    asyncio.run(main())
    assert asked == [1]


def test_cancels_the_request_when_its_task_is_cancelled(options: dict) -> None:
    marked = {"test": "cancelled task"}

    async def main() -> None:
        async with AsyncInferlog(**options) as client:
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(client.run("sandbox/slow", {"seconds": 60}, metadata=marked), 0.3)
            (request,) = [request async for request in client.requests.list(metadata=marked)]
            assert (await client.wait(request, timeout=10))["outcome"] == "cancelled"

    asyncio.run(main())


def test_streams_and_leaves(options: dict) -> None:
    async def main() -> None:
        async with httpx.AsyncClient(limits=httpx.Limits(max_connections=1)) as http:
            client = AsyncInferlog(**options, http_client=http, retries=0, timeout=5)
            shown = [event async for event in client.stream("sandbox/stream", {"text": "Once upon", "delayMs": 0})]
            assert "".join(event.data for event in shown if event.type == "chunk") == "Once upon"
            async with client.stream("sandbox/stream", {"count": 500, "delayMs": 20}, cancel_on_disconnect=True) as events:
                async for event in events:
                    if event.type == "chunk":
                        break
            assert (await client.balance())["currency"] == "USD"

    asyncio.run(main())


def test_ends_a_silent_stream_at_its_deadline(options: dict) -> None:
    async def main() -> None:
        async with AsyncInferlog(**options) as client:
            created = await client.submit("sandbox/slow", {"seconds": 60})
            with pytest.raises(DeadlineExceededError):
                async for _ in client.subscribe(created, timeout=0.3):
                    pass
            await client.cancel(created)

    asyncio.run(main())


def test_uploads_in_parts(options: dict) -> None:
    data = os.urandom(11 * MIB)
    threads: set = set()

    async def main() -> None:
        async with AsyncInferlog(**options) as client:
            url = await client.files.upload(
                data,
                file_name="numbers.bin",
                part_size=5 * MIB,
                on_progress=lambda sent, total: threads.add(threading.current_thread()),
            )
            assert threads == {threading.current_thread()}
            found = b"".join([chunk async for chunk in client.files.download(url)])
            assert found == data

    asyncio.run(main())


def test_runs_a_batch_in_tasks(options: dict) -> None:
    async def main() -> None:
        async with AsyncInferlog(**options) as client:
            inputs = [{"value": value} for value in range(12)]
            items = [item async for item in client.batches.run("sandbox/echo", inputs, concurrency=4)]
            assert sorted(item.output["value"] for item in items) == list(range(12))

    asyncio.run(main())
