/** Runs the assistant of the documentation against a server, after a sign-in. */
import * as childProcess from "node:child_process"
import { once } from "node:events"
import * as readline from "node:readline"
import * as consumers from "node:stream/consumers"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { RequestId } from "#domain/Ids.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as StreamName from "#streams/StreamName.ts"
import { Browser } from "#test/support/AssistantLogin.ts"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import { freePort, root } from "#test/support/ServerProcess.ts"
import * as TestServer from "#test/support/TestServer.ts"

/** Signs in at the address that the example prints, and resolves with its whole output. */
const run = async (address: string, apiKey: string, signal: AbortSignal) => {
  const child = childProcess.spawn(process.execPath, ["examples/assistant.mjs", address], {
    cwd: root,
    signal,
    stdio: ["ignore", "pipe", "pipe"]
  })
  const exited = once(child, "exit")
  const errors = consumers.text(child.stderr)
  const lines: Array<string> = []
  for await (const line of readline.createInterface({ input: child.stdout })) {
    lines.push(line)
    if (!line.includes("/oauth/authorize")) continue
    const back = await new Browser().signIn(new URL(line.trim()), { api_key: apiKey, decision: "allow" })
    await (await fetch(back)).text()
  }
  const [code] = await exited
  return { code, text: lines.join("\n"), errors: await errors }
}

/** The first submitted request has read something. */
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
  it.effect("registers, signs in, uploads a picture and has it read", () =>
    Effect.gen(function* () {
      const { key, urls } = yield* TestServer.TestServer
      const reading = yield* Effect.forkChild(readIt)
      const { code, errors, text } = yield* Effect.promise((signal) =>
        run(urls.mcpUrl, key.replace(/^Key /, ""), signal)
      )
      assert.strictEqual(code, 0, text + errors)
      yield* Fiber.join(reading)
      assert.include(text, "13 tools: ")
      assert.include(text, `COMPLETED, 0.002 USD: "What it says"`)
    })
  )

  it.effect("reports in one line why it is not connected", () =>
    Effect.gen(function* () {
      const { urls } = yield* TestServer.TestServer
      const nobody = `http://127.0.0.1:${yield* Effect.promise(freePort)}`
      const elsewhere = `${urls.mcpUrl}/elsewhere`
      const said = yield* Effect.forEach(
        [nobody, elsewhere],
        (address) => Effect.promise((signal) => run(address, "", signal)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(said, [
        { code: 1, text: "", errors: `Not connected to ${nobody}/mcp: ECONNREFUSED\n` },
        { code: 1, text: "", errors: `Not connected to ${elsewhere}: 404\n` }
      ])
    })
  )
})
