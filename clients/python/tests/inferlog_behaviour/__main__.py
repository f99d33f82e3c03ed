"""Plays the behaviour table (clients/behaviour/README.md): a line of JSON for each call on stdin, and one for each end on stdout.

`driver` is `sync` or `async`. Sync calls run in a thread each, async ones as tasks of one loop, so that they can be aborted.
"""

import asyncio
import json
import sys
import threading

from . import driver

_writing = threading.Lock()


def write(id: object, played: dict) -> None:
    line = json.dumps({"id": id, **played})
    with _writing:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


async def follow(lines: "asyncio.Queue[dict]") -> None:
    tasks: dict[object, asyncio.Task] = {}

    async def play(told: dict) -> None:
        try:
            write(told["id"], await driver.play_async(told["client"], told["call"]))
        finally:
            tasks.pop(told["id"], None)

    while (told := await lines.get()) is not None:
        if "abort" in told:
            task = tasks.get(told["abort"])
            if task is not None:
                task.cancel()
        elif told["driver"] == "async":
            tasks[told["id"]] = asyncio.create_task(play(told))
        else:
            threading.Thread(
                target=lambda told=told: write(told["id"], driver.play_sync(told["client"], told["call"])), daemon=True
            ).start()


async def main() -> None:
    loop = asyncio.get_running_loop()
    lines: "asyncio.Queue[dict]" = asyncio.Queue()

    def read() -> None:
        for line in sys.stdin:
            loop.call_soon_threadsafe(lines.put_nowait, json.loads(line))
        loop.call_soon_threadsafe(lines.put_nowait, None)

    threading.Thread(target=read, daemon=True).start()
    await follow(lines)


asyncio.run(main())
