/**
 * A disk that refuses writes, becomes slow or loses a folder under a running server.
 * @alone It checks times or memory against limits.
 */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as Attacked from "#test/support/attacks/Attacked.ts"
import { figure } from "#test/support/attacks/Form.ts"
import * as FaultyDisk from "#bench/harness/disk/FaultyDisk.ts"
import * as PreloadedLibrary from "#bench/harness/disk/PreloadedLibrary.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const { EDQUOT, EIO } = os.constants.errno

/** A server on a disk whose failures the test controls. */
const start = Effect.gen(function* () {
  const dataDirectory = yield* TempDirectory.make
  const disk = yield* FaultyDisk.make
  const server = yield* Effect.acquireRelease(
    Effect.promise(async () =>
      ServerProcess.start({ dataDirectory, port: await ServerProcess.freePort(), env: disk.env })
    ),
    ({ kill }) => Effect.promise(() => kill("SIGKILL"))
  )
  return { dataDirectory, disk, server }
})

const submit = async (url: string, value: string) => {
  const response = await fetch(`${url}/sandbox/echo`, {
    method: "POST",
    headers: { ...ServerProcess.authorization, "content-type": "application/json" },
    body: JSON.stringify({ value })
  })
  await response.text()
  return response.status
}

const withFaults = (name: string, tests: () => void) =>
  describe.skipIf(PreloadedLibrary.isMissing)(PreloadedLibrary.named(name), tests)

withFaults("E9: a disk failure that ends the process", () => {
  it.live.each([
    ["write", "log.sqlite-wal$"],
    ["sync", "log.sqlite-wal$"],
    ["write", "log.head$"]
  ] as const)("reports on its last line that a %s of %s failed with EIO", ([on, name]) =>
    Effect.gen(function* () {
      const { disk, server } = yield* start
      disk.set({ on, path: name, errno: EIO })
      yield* Effect.promise(() => submit(server.url, "x").catch(() => 0))
      assert.strictEqual(yield* Effect.promise(() => server.exited), 1)
      const last = server.output().trim().split("\n").at(-1) ?? ""
      assert.match(last, /takes no more appends/)
      assert.include(last, "EIO")
      assert.include(last, `/${name.slice(0, -1)}`)
    }).pipe(Effect.scoped)
  )
})

describe("E9: a removed blob folder", () => {
  it.live("is created again by the next large payload", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* TempDirectory.make
      const server = yield* Effect.acquireRelease(
        Effect.promise(async () =>
          ServerProcess.start({ dataDirectory, port: await ServerProcess.freePort() })
        ),
        ({ kill }) => Effect.promise(() => kill("SIGKILL"))
      )
      const large = "x".repeat(200_000)
      const blobs = path.join(dataDirectory, "blobs")
      assert.strictEqual(yield* Effect.promise(() => submit(server.url, large)), 200)
      fs.rmSync(blobs, { recursive: true })
      assert.strictEqual(yield* Effect.promise(() => submit(server.url, large)), 200)
      assert.isTrue(fs.existsSync(blobs))
    }).pipe(Effect.scoped)
  )
})

/** The 99th percentile in ms of GETs, one after the other, until `during` ends. Each GET must return 200. */
const p99 = async (url: string, during: Promise<unknown>): Promise<number> => {
  const times: Array<number> = []
  let isOver = false
  void during.finally(() => (isOver = true))
  while (!isOver) {
    const began = performance.now()
    assert.strictEqual((await Attacked.get(url)).status, 200)
    times.push(performance.now() - began)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  times.sort((a, b) => a - b)
  return times[Math.floor(times.length * 0.99)] ?? 0
}

const MiB = 1024 * 1024

/** A server that survives its disk's faults. */
class Survivor extends Context.Service<Survivor, Effect.Success<typeof start>>()(
  "inferlog/test/attacks/Survivor"
) {}

layer(Layer.effect(Survivor, start), { excludeTestServices: true })((it) => {
  withFaults("E9: an exceeded quota", () => {
    it.effect("fails new requests, and the server continues when there is room again", () =>
      Effect.gen(function* () {
        const { disk, server } = yield* Survivor
        const send = (value: string) => Effect.promise(() => submit(server.url, value))
        assert.strictEqual(yield* send("before"), 200)
        // Only files that grow fail: a quota does not affect writes in place.
        disk.set(
          ...["/log.sqlite-wal$", "/room-"].map((path) => ({ on: "write", path, errno: EDQUOT }) as const)
        )
        for (const value of ["a", "b", "c"]) assert.isAtLeast(yield* send(value), 500)
        disk.set()
        assert.strictEqual(yield* send("after"), 200)
        assert.notInclude(server.output(), "takes no more appends")
      })
    )
  })

  withFaults("E8: a disk that needs seconds for a sync", () => {
    it.effect("delays no health check, status or result", () =>
      Effect.gen(function* () {
        const { disk, server } = yield* Survivor
        const { request_id: id } = yield* Effect.promise(() =>
          Attacked.json(`${server.url}/sandbox/echo`, { method: "POST", body: '{"value":1}' })
        )
        const request = `${server.url}/sandbox/echo/requests/${String(id)}`
        yield* Effect.promise(() => Attacked.json(`${request}/status?wait=60`))
        disk.set({ on: "sync", path: "/log.", delayMs: 2_000 })
        const rounds = figure({ short: 1, long: 10 })
        for (let round = 0; round < rounds; round++) {
          const began = performance.now()
          const submits = Promise.all(["a", "b", "c"].map((value) => submit(server.url, value)))
          const slowest = yield* Effect.promise(() =>
            Promise.all(
              [`${server.url}/health`, `${request}/status`, request].map((url) => p99(url, submits))
            )
          )
          assert.deepStrictEqual(yield* Effect.promise(() => submits), [200, 200, 200])
          assert.isAtLeast(performance.now() - began, 2_000)
          for (const ms of slowest) assert.isAtMost(ms, 500)
        }
      })
    )
  })

  withFaults("E3: checkpoints that fail with EIO", () => {
    it.effect("are reported and limit the WAL until they succeed again", () =>
      Effect.gen(function* () {
        const { dataDirectory, disk, server } = yield* Survivor
        const walBytes = () => fs.statSync(path.join(dataDirectory, "log.sqlite-wal")).size
        const health = async () => {
          const response = await fetch(`${server.url}/health`)
          return `${response.status} ${await response.text()}`
        }
        const walGauge = async () => {
          const metrics = await (await fetch(`${server.url}/metrics`)).text()
          return Number(/^inferlog_log_wal_bytes (\d+)/m.exec(metrics)?.[1])
        }
        /** Submits until an answer's status is wanted. */
        const submitUntil = async (isWanted: (status: number) => boolean) => {
          let isFound = false
          const one = async () => {
            while (!isFound) if (isWanted(await submit(server.url, "x".repeat(60_000)))) isFound = true
          }
          await Promise.all(Array.from({ length: 16 }, one))
        }
        const until = async (isTrue: () => Promise<boolean>) => {
          while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 100))
        }

        disk.set({ on: "write", path: "/log.sqlite$", errno: EIO })
        yield* Effect.promise(() => submitUntil((status) => status >= 500))
        assert.isAtMost(walBytes(), 96 * MiB)
        yield* Effect.promise(() => until(async () => /^503 .*log_checkpoint_failing/.test(await health())))
        // The gauge and the warning follow the WAL once a second.
        yield* Effect.promise(() => until(async () => (await walGauge()) > 32 * MiB))
        const warning = /log\.sqlite cannot be written \(disk I\/O error, SQLite 778\)/
        yield* Effect.promise(() => until(() => Promise.resolve(warning.test(server.output()))))

        disk.set()
        yield* Effect.promise(() => until(async () => (await health()).startsWith("200 ")))
        yield* Effect.promise(() => submitUntil((status) => status === 200))
      })
    )
  })
})
