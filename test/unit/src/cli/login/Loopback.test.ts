/** The port on which `login` waits for the browser. */
import * as net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Loopback from "#src/cli/login/Loopback.ts"

/** The status of the answer to a request with that target, which need not be an address. */
const statusOf = (port: number, target: string) =>
  Effect.callback<string>((resume) => {
    let answer = ""
    net
      .connect(port, "127.0.0.1")
      .on("data", (chunk) => (answer += chunk.toString()))
      .on("close", () => resume(Effect.succeed(answer.split(" ", 2)[1] ?? "")))
      .write(`GET ${target} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`)
  })

describe("The port that login waits on", () => {
  it.live("takes the first code, and refuses everything else", () =>
    Effect.gen(function* () {
      const { code, port } = yield* Loopback.listen
      for (const target of ["//", "http://[", "/", "/?code=", `/?code=${"x".repeat(8_193)}`]) {
        assert.strictEqual(yield* statusOf(port, target), "404", target)
      }
      assert.strictEqual(yield* statusOf(port, "/?code=first"), "200")
      assert.strictEqual(yield* statusOf(port, "/?code=second"), "200")
      assert.strictEqual(yield* code, "first")
    }).pipe(Effect.scoped)
  )
})
