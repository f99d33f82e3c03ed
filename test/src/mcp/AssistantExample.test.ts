/** The assistant of the documentation does with a server what it says, once somebody has signed in. */
import * as childProcess from "node:child_process"
import { once } from "node:events"
import * as readline from "node:readline"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Browser } from "#test/support/AssistantLogin.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

/** Signs in where the example says, and resolves with all that it has said. */
const run = async (mcpUrl: string, signal: AbortSignal) => {
  const child = childProcess.spawn(process.execPath, ["examples/assistant.mjs", mcpUrl], {
    cwd: ServerProcess.root,
    signal,
    stdio: ["ignore", "pipe", "inherit"]
  })
  const exited = once(child, "exit")
  const lines: Array<string> = []
  for await (const line of readline.createInterface({ input: child.stdout })) {
    lines.push(line)
    if (!line.includes("/oauth/authorize")) continue
    const decision = { api_key: ServerProcess.apiKey, decision: "allow" } as const
    await (await fetch(await new Browser().signIn(new URL(line.trim()), decision))).text()
  }
  const [code] = await exited
  return { code, text: lines.join("\n") }
}

describe("the example of an assistant", () => {
  it.live("registers, is signed in, uploads a picture and has it read", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* TempDirectory.make
      const port = yield* Effect.promise(ServerProcess.freePort)
      const server = yield* Effect.acquireRelease(
        Effect.promise(() => ServerProcess.start({ dataDirectory, port })),
        ({ kill }) => Effect.promise(() => kill("SIGKILL"))
      )
      const { code, text } = yield* Effect.promise((signal) => run(`${server.url}/mcp`, signal))
      assert.strictEqual(code, 0, text)
      assert.include(text, "13 tools: ")
      assert.match(text, /^COMPLETED, 0\.002 USD: ".+"$/m)
    })
  )
})
