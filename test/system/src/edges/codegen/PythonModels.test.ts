/**
 * Generated Python for the models that ship with the server: mypy accepts right inputs and refuses wrong ones, and it runs. mypy finds
 * nothing wrong in the client either.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Inferlog } from "#clients/typescript/index.ts"
import { snake } from "#src/edges/codegen/Identifiers.ts"
import * as InProcess from "#test/support/src/cli/InProcess.ts"
import * as Python from "#test/support/clients/Python.ts"
import * as RunningServer from "#test/support/clients/RunningServer.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as GeneratedProject from "#test/support/src/edges/codegen/GeneratedProject.ts"

/** What applications do, right and wrong. mypy refuses a `type: ignore` of another error, and one that is not needed. */
const usage = `
from pathlib import Path

from inferlog import AsyncInferlog, Inferlog
from models import sandbox_echo, sandbox_stream_stream, vision_ocr, vision_ocr_async
from typing_extensions import assert_type


def right(inferlog: Inferlog) -> None:
    found = vision_ocr(inferlog, {"image": Path("x.png"), "language": "eng"}, timeout=1.5)
    widths: list[int] = [word["box"]["width"] for word in found["words"]]
    print(found["text"].upper(), widths)
    for event in sandbox_stream_stream(inferlog, {}, cancel_on_disconnect=True):
        print(event.type)


async def right_async(inferlog: AsyncInferlog) -> str:
    async for model in inferlog.catalog.models():
        assert_type(model["expectedSeconds"], float)
    with open("x.png", "rb") as file:
        return (await vision_ocr_async(inferlog, {"image": file}))["text"]


def wrong(inferlog: Inferlog) -> None:
    vision_ocr(inferlog, {"language": "eng"})  # type: ignore[typeddict-item]
    vision_ocr(inferlog, {"image": "", "language": "fr"})  # type: ignore[typeddict-item]
    sandbox_echo(inferlog, {"value": 1, "delay": 1})  # type: ignore[typeddict-item]
    sandbox_echo(inferlog, {"value": 1, "delayMs": "1"})  # type: ignore[typeddict-item]
    sandbox_echo(inferlog, {"value": 1}, timeout="1")  # type: ignore[arg-type]
    vision_ocr(inferlog, {"image": ""})["confidence"].upper()  # type: ignore[attr-defined]


def without_generated_code(inferlog: Inferlog) -> None:
    created = inferlog.submit("a/b", {})
    assert_type(created["request_id"], str)
    for status in inferlog.subscribe(created):
        status["statsu"]  # type: ignore[typeddict-item]
    inferlog.run("a/b", {}, retries=1)  # type: ignore[call-arg]
`

/** Prints what each function runs with the example of its model, and what some give. */
const program = `
import asyncio
import json

import models
from inferlog import AsyncInferlog, Inferlog, RequestFailedError


class Recorder:
    def run(self, model, input, **options):
        return [model, input]


examples = json.load(open("examples.json"))
runs = {name: getattr(models, name)(Recorder(), input) for name, input in examples.items()}

with Inferlog() as inferlog:
    chunks = [event.data for event in models.sandbox_stream_stream(inferlog, {"text": "a b"}) if event.type == "chunk"]
    try:
        models.sandbox_fail(inferlog, examples["sandbox_fail"])
    except RequestFailedError as error:
        failed = error.code


async def main():
    async with AsyncInferlog() as inferlog:
        return await models.sandbox_echo_async(inferlog, {"value": 1})


print(json.dumps({"runs": runs, "chunks": chunks, "failed": failed, "echo": asyncio.run(main())}))
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

    it.effect.skipIf(!Python.has("mypy"))("writes types that mypy holds (skipped without mypy)", () =>
      Effect.gen(function* () {
        const folder = yield* generated
        fs.writeFileSync(path.join(folder, "usage.py"), usage)
        const project = path.join(Python.folder, "pyproject.toml")
        const flags = ["--config-file", project, "--cache-dir", folder, "--no-error-summary"]
        // With the client itself, because mypy takes long to read it and its packages.
        const files = [path.join(Python.folder, "src/inferlog"), "models.py", "usage.py"]
        const { text } = yield* Effect.promise(() =>
          GeneratedProject.runPython(["-m", "mypy", ...flags, ...files], folder)
        )
        assert.strictEqual(text, "")
      })
    )

    it.effect.skipIf(!Python.has("httpx"))(
      "writes functions that run each model (skipped without httpx)",
      () =>
        Effect.gen(function* () {
          const { key, urls } = yield* TestServer.TestServer
          const folder = yield* generated
          const { catalog } = new Inferlog({ url: urls.baseUrl })
          const examples = yield* Effect.promise(async () => {
            const found: Record<string, readonly [string, unknown]> = {}
            for (const all of [catalog.models(), catalog.wrappers()])
              for await (const { exampleInput, modelEndpoint } of all)
                found[snake(modelEndpoint)] = [modelEndpoint, exampleInput]
            return found
          })
          const inputs = Object.entries(examples).map(([name, [, input]]) => [name, input])
          fs.writeFileSync(path.join(folder, "examples.json"), JSON.stringify(Object.fromEntries(inputs)))
          fs.writeFileSync(path.join(folder, "program.py"), program)
          const { text } = yield* Effect.promise(() =>
            GeneratedProject.runPython(["program.py"], folder, {
              INFERLOG_URL: urls.baseUrl,
              INFERLOG_API_KEY: key.replace("Key ", "")
            })
          )
          assert.deepStrictEqual(JSON.parse(text), {
            runs: examples,
            chunks: ["a ", "b"],
            failed: "REQUEST_FAILED",
            echo: { value: 1 }
          })
        })
    )
  }
)
