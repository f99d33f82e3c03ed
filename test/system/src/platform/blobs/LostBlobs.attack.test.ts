import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Attacked from "#test/support/attacks/Attacked.ts"

const filesIn = (folder: string): ReadonlyArray<string> =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))

describe("B6: a large output with a lost blob", () => {
  it.live("is reported as damaged, counted and found by verify, and not called erased", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* TempDirectory.make
      const port = yield* Effect.promise(ServerProcess.freePort)
      const { url } = yield* Effect.acquireRelease(
        Effect.promise(() => ServerProcess.start({ dataDirectory, port })),
        ({ kill }) => Effect.promise(() => kill("SIGKILL"))
      )
      yield* Effect.promise(async () => {
        const id = await Attacked.largeResult(url, 200_000)
        for (const file of filesIn(path.join(dataDirectory, "blobs"))) fs.rmSync(file)
        for (const route of [`requests/${id}`, `sandbox/echo/requests/${id}`]) {
          const response = await fetch(`${url}/${route}`, { headers: ServerProcess.authorization })
          assert.strictEqual(response.status, 500, route)
          assert.deepInclude(Object(await response.json()).details, { code: "PAYLOAD_DAMAGED" })
        }
        const metrics = await (await fetch(`${url}/metrics`)).text()
        assert.match(metrics, /^inferlog_payloads_damaged_total [1-9]/m)
        assert.strictEqual((await fetch(`${url}/health`)).status, 200)
      })
      const { code, stderr } = yield* Inferlog.run(["log", "verify"], { DATA_DIR: dataDirectory })
      assert.strictEqual(code, 1)
      assert.match(stderr, /broken at position/)
    }).pipe(Effect.scoped)
  )
})
