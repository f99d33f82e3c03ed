import * as fs from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Attacked from "#test/support/attacks/Attacked.ts"
import { figure } from "#test/support/attacks/Form.ts"
import * as Seen from "#test/support/attacks/Seen.ts"

const requests = figure({ short: 20, long: 500 })

const submit = (url: string) =>
  Attacked.json(`${url}/sandbox/echo`, { method: "POST", body: JSON.stringify({ value: 1 }) })

describe("E1: the health of a server with failing parts", () => {
  it.live("is 503, and lists show no stale rows, while the read models cannot be written", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      const { url } = yield* Seen.start(directory)
      yield* Effect.promise(async () => {
        await submit(url)
        assert.strictEqual((await Seen.health(url)).status, 200)
        // The writer of the file waits for its lock, fails and restarts, again and again.
        const other = new DatabaseSync(path.join(directory, "projections.sqlite"), { timeout: 10_000 })
        other.exec("BEGIN IMMEDIATE")
        for (let count = 0; count < requests; count++) await submit(url)
        const { codes } = await Seen.until(url, ({ status }) => status === 503)
        assert.deepStrictEqual(codes, ["queue_stalled"])
        assert.strictEqual((await Attacked.get(`${url}/health?live=1`)).status, 200)
        for (const list of ["requests", "account/balance", "keys", "usage?start=2026-01-01&end=2026-01-02"]) {
          const response = await fetch(`${url}/${list}`, { headers: ServerProcess.authorization })
          assert.strictEqual(response.status, 503, list)
          assert.isNotNull(response.headers.get("retry-after"))
          assert.deepInclude(await response.json(), { details: { code: "READ_MODEL_BEHIND" } })
        }
        const metrics = await (await fetch(`${url}/metrics`)).text()
        assert.include(metrics, 'inferlog_projection_stopped{projection="duework"} 1')
        assert.include(metrics, 'inferlog_health_reason{code="queue_stalled"} 1')
        other.exec("ROLLBACK")
        other.close()
        await Seen.until(url, ({ status }) => status === 200)
        assert.deepInclude(await Attacked.json(`${url}/requests`), { total: requests + 1 })
      })
    }).pipe(Effect.scoped)
  )

  it.live("is 503 while the disk is full, and 200 again once there is room", (test) =>
    Effect.gen(function* () {
      const directory = yield* Seen.smallDisk("24m")
      if (directory === null) return test.skip("no file system can be mounted here")
      const { exited, url } = yield* Seen.start(directory)
      yield* Effect.promise(async () => {
        void exited.then((code) => assert.strictEqual(code, null, "The server has ended"))
        await submit(url)
        const filler = path.join(directory, "filler")
        Seen.fill(filler)
        const body = JSON.stringify({ value: "x".repeat(40_000) })
        let status = 200
        for (let tries = 0; status !== 503 && tries < 2_000; tries++) {
          const { authorization } = ServerProcess.authorization
          const headers = { authorization, "content-type": "application/json" }
          const response = await fetch(`${url}/sandbox/echo`, { method: "POST", headers, body })
          status = response.status
          await response.arrayBuffer()
        }
        const { codes } = await Seen.until(url, ({ status }) => status === 503)
        assert.include(codes, "log_not_writable")
        fs.rmSync(filler)
        // The node must recover without any submit.
        await Seen.until(url, ({ status }) => status === 200)
        await submit(url)
      })
    }).pipe(Effect.scoped)
  )
})
