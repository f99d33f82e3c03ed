/**
 * The audit of a log that a server writes.
 *
 * @process the log is one of a server that runs.
 */
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

describe("audit", () => {
  it.live("verifies the log and the read model of a running server", () =>
    Effect.gen(function* () {
      const settings = {
        DATA_DIR: path.join(yield* TempDirectory.make, "data"),
        BOOTSTRAP_API_KEY: "first:secret"
      }
      const server = yield* Inferlog.serve(settings)
      const headers = { authorization: "Key first:secret", "content-type": "application/json" }
      yield* Effect.promise(async () => {
        const body = JSON.stringify({ value: "a" })
        const answer = await fetch(`${server.url}/sandbox/echo`, { method: "POST", headers, body })
        const { response_url } = (await answer.json()) as Record<string, string>
        await fetch(`${response_url}/status?wait=10`, { headers })
      })
      const { code, stderr, stdout } = yield* Inferlog.run(["audit"], settings)
      assert.strictEqual(code, 0, stderr)
      assert.match(stdout, /\nRevenue: \$0.001\n/)
      assert.match(stdout, /\nRead model: it agrees as of position \d+/)
    }).pipe(Effect.scoped)
  )
})
