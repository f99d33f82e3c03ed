/** The assistant of the documentation does with a server what it says, once somebody has signed in. */
import * as childProcess from "node:child_process"
import { once } from "node:events"
import * as readline from "node:readline"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { RequestId } from "#domain/Ids.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as StreamName from "#streams/StreamName.ts"
import { Browser } from "#test/support/AssistantLogin.ts"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import { root } from "#test/support/ServerProcess.ts"
import * as TestServer from "#test/support/TestServer.ts"

/** Signs in where the example says, and resolves with all that it has said. */
const run = async (mcpUrl: string, apiKey: string, signal: AbortSignal) => {
  const child = childProcess.spawn(process.execPath, ["examples/assistant.mjs", mcpUrl], {
    cwd: root,
    signal,
    stdio: ["ignore", "pipe", "inherit"]
  })
  const exited = once(child, "exit")
  const lines: Array<string> = []
  for await (const line of readline.createInterface({ input: child.stdout })) {
    lines.push(line)
    if (!line.includes("/oauth/authorize")) continue
    const back = await new Browser().signIn(new URL(line.trim()), { api_key: apiKey, decision: "allow" })
    await (await fetch(back)).text()
  }
  const [code] = await exited
  return { code, text: lines.join("\n") }
}

/** The first request that is submitted has read something. */
const readIt = Effect.gen(function* () {
  const reader = yield* EventReader
  const { stream } = yield* reader.subscribe(GlobalPosition.beginning).pipe(
    Stream.filter(({ type }) => type === "RequestSubmitted"),
    Stream.runHead,
    Effect.flatMap(Effect.fromOption)
  )
  const id = RequestId.make(StreamName.idOf(stream))
  yield* Lifecycle.start(id)
  yield* Lifecycle.deliver(id, { text: "What it says", confidence: 90, words: [] })
})

layer(TestServer.layer(), { excludeTestServices: true })("the example of an assistant", (it) => {
  it.effect("registers, is signed in, uploads a picture and has it read", () =>
    Effect.gen(function* () {
      const { key, urls } = yield* TestServer.TestServer
      const reading = yield* Effect.forkChild(readIt)
      const { code, text } = yield* Effect.promise((signal) =>
        run(`${urls.mcpUrl}/mcp`, key.replace(/^Key /, ""), signal)
      )
      assert.strictEqual(code, 0, text)
      yield* Fiber.join(reading)
      assert.include(text, "13 tools: ")
      assert.include(text, `COMPLETED, 0.002 USD: "What it says"`)
    })
  )
})
