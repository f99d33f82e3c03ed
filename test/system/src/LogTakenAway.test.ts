/** A server whose data directory is removed must stop acknowledging requests. */
import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

describe("a server whose data directory is removed", () => {
  it.live("exits with 1 and reports the cause", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* TempDirectory.make
      const server = yield* Effect.acquireRelease(
        Effect.promise(async () =>
          ServerProcess.start({ dataDirectory, port: await ServerProcess.freePort() })
        ),
        (server) => Effect.promise(() => server.kill("SIGKILL"))
      )
      fs.rmSync(dataDirectory, { recursive: true, maxRetries: 10 })
      assert.strictEqual(yield* Effect.promise(() => server.exited), 1)
      assert.match(server.output(), /log\.(sqlite|head) was removed or replaced while it was in use/)
    })
  )
})
