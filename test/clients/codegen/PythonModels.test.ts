/** Generated Python for the models that ship with the server: mypy accepts right inputs and refuses wrong ones, and it runs. */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Inferlog } from "#clients/typescript/index.ts"
import { snake } from "#src/edges/codegen/Identifiers.ts"
import * as InProcess from "#test/src/cli/InProcess.ts"
import * as RunningServer from "#test/support/clients/RunningServer.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as GeneratedProject from "./GeneratedProject.ts"

const root = path.resolve(import.meta.dirname, "../../..")

/** What applications do, right and wrong. mypy refuses a `type: ignore` of another error, and one that is not needed. */
const usage = `
from pathlib import Path

from inferlog import AsyncInferlog, Inferlog
from models import sandbox_echo, sandbox_stream_stream, vision_ocr, vision_ocr_async


def right(inferlog: Inferlog) -> None:
    found = vision_ocr(inferlog, {"image": Path("x.png"), "language": "eng"}, timeout=1.5)
    widths: list[int] = [word["box"]["width"] for word in found["words"]]
    print(found["text"].upper(), widths)
    for event in sandbox_stream_stream(inferlog, {}, cancel_on_disconnect=True):
        print(event.type)


async def right_async(inferlog: AsyncInferlog) -> str:
    with open("x.png", "rb") as file:
        return (await vision_ocr_async(inferlog, {"image": file}))["text"]


def wrong(inferlog: Inferlog) -> None:
    vision_ocr(inferlog, {"language": "eng"})  # type: ignore[typeddict-item]
    vision_ocr(inferlog, {"image": "", "language": "fr"})  # type: ignore[typeddict-item]
    sandbox_echo(inferlog, {"value": 1, "delay": 1})  # type: ignore[typeddict-item]
    sandbox_echo(inferlog, {"value": 1, "delayMs": "1"})  # type: ignore[typeddict-item]
    sandbox_echo(inferlog, {"value": 1}, timeout="1")  # type: ignore[arg-type]
    vision_ocr(inferlog, {"image": ""})["confidence"].upper()  # type: ignore[attr-defined]
`

/** Calls each function with the example of its model. Prints the outcomes by name. */
const program = `
import asyncio
import json
import sys
from concurrent.futures import ThreadPoolExecutor

import models
from inferlog import AsyncInferlog, Inferlog, RequestOutcomeError

examples = json.load(open("examples.json"))


def outcome(call):
    try:
        return "output" if call() is not None else "none"
    except RequestOutcomeError as error:
        return type(error).__name__


with Inferlog() as inferlog, ThreadPoolExecutor(8) as pool:
    calls = {name: (lambda f=getattr(models, name), i=i: f(inferlog, i)) for name, i in examples.items()}
    outcomes = dict(zip(calls, pool.map(outcome, calls.values())))
    chunks = [event.data for event in models.sandbox_stream_stream(inferlog, {"text": "a b"}) if event.type == "chunk"]


async def main():
    async with AsyncInferlog() as inferlog:
        return await models.sandbox_echo_async(inferlog, {"value": 1})


print(json.dumps({"outcomes": outcomes, "chunks": chunks, "echo": asyncio.run(main())}))
`

layer(RunningServer.layer, { excludeTestServices: true, timeout: 120_000 })(
  "inferlog codegen --lang py",
  (it) => {
    const generated = Effect.gen(function* () {
      const { urls } = yield* TestServer.TestServer
      const folder = yield* TempDirectory.make
      const args = ["codegen", "--lang", "py", "--out", path.join(folder, "models.py"), "--url", urls.baseUrl]
      const { code } = yield* Effect.promise(() => InProcess.run(args, {}))
      assert.strictEqual(code, 0)
      return folder
    })

    it.effect.skipIf(!GeneratedProject.hasPython("mypy"))(
      "writes types that mypy holds (skipped without mypy)",
      () =>
        Effect.gen(function* () {
          const folder = yield* generated
          fs.writeFileSync(path.join(folder, "usage.py"), usage)
          // As the client itself is checked, so that what mypy has found out of it is there.
          const project = path.join(root, "clients/python/pyproject.toml")
          const flags = ["--config-file", project, "--no-error-summary"]
          const { text } = yield* Effect.promise(() =>
            GeneratedProject.runPython(["-m", "mypy", ...flags, "models.py", "usage.py"], folder)
          )
          assert.strictEqual(text, "")
        })
    )

    it.effect.skipIf(!GeneratedProject.hasPython("httpx"))(
      "writes functions that run each model (skipped without httpx)",
      () =>
        Effect.gen(function* () {
          const { key, urls } = yield* TestServer.TestServer
          const folder = yield* generated
          const { catalog } = new Inferlog({ url: urls.baseUrl })
          const examples = yield* Effect.promise(async () => {
            const found: Record<string, unknown> = {}
            for await (const one of catalog.models()) found[snake(one.modelEndpoint)] = one.exampleInput
            for await (const one of catalog.wrappers()) found[snake(one.modelEndpoint)] = one.exampleInput
            return found
          })
          fs.writeFileSync(path.join(folder, "examples.json"), JSON.stringify(examples))
          fs.writeFileSync(path.join(folder, "program.py"), program)
          const { text } = yield* Effect.promise(() =>
            GeneratedProject.runPython(["program.py"], folder, {
              INFERLOG_URL: urls.baseUrl,
              INFERLOG_API_KEY: key.replace("Key ", "")
            })
          )
          const errors = {
            sandbox_fail: "RequestFailedError",
            sandbox_invalid_output: "InvalidOutputError",
            sandbox_provider_fail: "UpstreamFailureError"
          }
          assert.deepStrictEqual(JSON.parse(text), {
            outcomes: {
              ...Object.fromEntries(Object.keys(examples).map((name) => [name, "output"])),
              ...errors
            },
            chunks: ["a ", "b"],
            echo: { value: 1 }
          })
        })
    )
  }
)
