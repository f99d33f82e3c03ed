import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as TestServer from "#test/support/TestServer.ts"
import * as AssistantV2 from "#test/support/src/edges/mcp/AssistantV2.ts"
import { signIn, toolNames } from "#test/support/src/edges/mcp/FirstSteps.ts"
import { journey } from "#test/support/src/edges/mcp/Journey.ts"

journey("an assistant with the official client of the second generation", AssistantV2.make)

layer(TestServer.layer(), { excludeTestServices: true })(
  "a client that knows newer revisions of the protocol",
  (it) => {
    it.effect("uses a revision that the server supports", () =>
      Effect.gen(function* () {
        const { key, urls } = yield* TestServer.TestServer
        const assistant = yield* Effect.acquireRelease(
          Effect.sync(() => AssistantV2.make(urls.mcpUrl, fetch, { mode: "auto" })),
          ({ close }) => Effect.promise(close)
        )
        yield* Effect.promise(() => signIn(assistant, key))
        const tools = yield* Effect.promise(() => assistant.tools())
        assert.strictEqual(tools.length, toolNames.length)
        assert.strictEqual(assistant.session().protocolVersion, "2025-11-25")
      })
    )
  }
)
