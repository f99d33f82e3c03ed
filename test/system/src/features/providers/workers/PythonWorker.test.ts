/** Runs `examples/workers/pull_worker.py` as its first lines say, in a separate process. */
import * as childProcess from "node:child_process"
import * as path from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { WorkerPool } from "#src/features/providers/pull/WorkerPool.ts"
import { TestServer } from "#test/support/TestServer.ts"
import * as Server from "#test/support/src/features/providers/workers/WorkerServer.ts"
import * as Until from "#test/support/Until.ts"

const root = path.resolve(import.meta.dirname, "../../../../../..")

const hasPython =
  childProcess.spawnSync("python3", ["-c", "import sys; assert sys.version_info >= (3, 9)"]).status === 0

const started = (url: string, key: string, ...models: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = childProcess.spawn("python3", ["examples/workers/pull_worker.py", ...models], {
        cwd: root,
        env: { PATH: process.env["PATH"], INFERLOG_URL: url, INFERLOG_WORKER_KEY: key },
        stdio: ["ignore", "pipe", "pipe"]
      })
      let output = ""
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text))
      const exited = new Promise<number | null>((resolve) => child.once("exit", resolve))
      return { child, exited, output: () => output }
    }),
    ({ child, exited }) =>
      Effect.promise(() => {
        child.kill("SIGKILL")
        return exited
      })
  )

const until = <E, R>(isSo: Effect.Effect<boolean, E, R>) =>
  Until.polled("a fact of the worker", isSo, (so) => so, Until.processes)

layer(Server.layer, { excludeTestServices: true })("The worker in Python", (it) => {
  it.effect.skipIf(!hasPython)("runs jobs, and ends at a stop signal (skipped without Python 3.9)", () =>
    Effect.gen(function* () {
      const { port } = yield* TestServer
      const { authorization } = yield* Server.workerKey()
      const key = authorization.replace("Key ", "")
      const worker = yield* started(`http://127.0.0.1:${port}`, key, Server.upscale, Server.tell)
      const id = yield* Server.submit(Server.upscale, "in")
      yield* until(Effect.map(Server.requestOf(id), ({ phase }) => phase._tag === "Completed"))
      const request = yield* Server.requestOf(id)
      assert.deepStrictEqual([request.attempt, request.violations], [1, []])
      assert.include(request.logs, "step 1 of 4")
      yield* until(Effect.sync(() => worker.output().includes(`${id}: 200`)))
      const streamed = yield* Server.submit(Server.tell, "in")
      yield* until(Effect.map(Server.requestOf(streamed), ({ phase }) => phase._tag === "Completed"))
      assert.deepStrictEqual((yield* Server.requestOf(streamed)).violations, [])
      yield* until(Effect.sync(() => worker.output().includes(`${streamed}: 200`)))
      const { pollers } = yield* WorkerPool
      yield* until(Effect.sync(() => pollers.room(Server.upscale) === 1))
      worker.child.kill("SIGTERM")
      assert.strictEqual(yield* Effect.promise(() => worker.exited), 0, worker.output())
      yield* until(Effect.sync(() => pollers.room(Server.upscale) === 0))
    })
  )
})
