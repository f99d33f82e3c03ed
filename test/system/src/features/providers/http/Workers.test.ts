import * as childProcess from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import * as Money from "#domain/Money.ts"
import * as HttpProvider from "#src/features/providers/http/HttpProvider.ts"
import { jobOf } from "#test/support/src/features/providers/contract/AdapterUnderTest.ts"
import * as RecordedControl from "#test/support/src/features/providers/contract/RecordedControl.ts"
import * as Surroundings from "#test/support/src/features/providers/contract/Surroundings.ts"

const secret = "wk_notARealSecret0123456789"

/** The port of a worker in a separate process, which ends with the scope. */
const start = (command: string, file: string) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      childProcess.spawn(command, [file], {
        cwd: new URL("../../../../../../examples/workers/", import.meta.url),
        env: { PATH: process.env["PATH"], HOME: process.env["HOME"], PORT: "0", WORKER_SECRET: secret },
        stdio: ["ignore", "pipe", "ignore"]
      })
    ),
    (child) =>
      Effect.callback<void>((resume) => {
        child.once("exit", () => resume(Effect.void)).kill("SIGKILL")
      })
  ).pipe(
    Effect.flatMap((child) =>
      Effect.callback<number>((resume) => {
        let said = ""
        child.stdout.on("data", (text) => {
          const port = /listening on (\d+)/.exec((said += String(text)))?.[1]
          if (port !== undefined) resume(Effect.succeed(Number(port)))
        })
      })
    ),
    Effect.timeout("10 seconds")
  )

describe("The example workers", () => {
  it.live.each([
    ["Node", process.execPath, "worker.mjs", null],
    ["Python", "python3", "worker.py", Money.millionths(5_000)]
  ] as const)("in %s runs jobs, and reports why one fails", ([, command, file, delivered]) =>
    Effect.gen(function* () {
      const port = yield* start(command, file)
      const surroundings = yield* Layer.build(Surroundings.layer({ WORKER_SECRET: secret }))
      const provider = yield* Effect.provide(HttpProvider.make, surroundings)
      const run = Effect.fnUntraced(function* (input: Json, attempt: number, secretEnv = "WORKER_SECRET") {
        const { control, reports } = yield* RecordedControl.make
        const url = `http://127.0.0.1:${port}/run`
        const job = jobOf({ name: "worker", adapter: "http", url, secretEnv }, input, attempt)
        return { outcome: yield* provider.run(job, control), reports }
      })
      const good = yield* run({ text: "hello" }, 1)
      assert.deepInclude(good.outcome, { _tag: "Succeeded", output: { text: "HELLO" }, delivered })
      assert.isTrue(good.reports.some((report) => report !== "started" && report.logs.includes("loaded")))
      const bad = yield* run({ text: 5 }, 2)
      assert.deepStrictEqual(bad.outcome, { _tag: "ModelFailed", message: "text: expected a string" })
    }).pipe(Effect.scoped)
  )

  it.live("in Python says its output as it is made", () =>
    Effect.gen(function* () {
      const port = yield* start("python3", "worker.py")
      const provider = yield* Effect.provide(
        HttpProvider.make,
        yield* Layer.build(Surroundings.layer({ WORKER_SECRET: secret }))
      )
      const run = Effect.fnUntraced(function* (input: Json) {
        const { chunks, control } = yield* RecordedControl.make
        const url = `http://127.0.0.1:${port}/run`
        const job = jobOf({ name: "worker", adapter: "http", url, secretEnv: "WORKER_SECRET" }, input)
        const model = { ...job.model, output: { stream: "text" as const } }
        return { outcome: yield* provider.run({ ...job, model }, control), chunks }
      })
      const good = yield* run({ text: "hello there" })
      assert.deepInclude(good.outcome, { _tag: "Succeeded", output: "HELLO THERE " })
      assert.deepStrictEqual(good.chunks, ["HELLO ", "THERE "])
      const bad = yield* run({ text: 5 })
      assert.deepStrictEqual(bad.outcome, { _tag: "ModelFailed", message: "text: expected a string" })
    }).pipe(Effect.scoped)
  )
})
