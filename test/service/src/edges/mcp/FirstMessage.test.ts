/** The first message creates the tools, which then live as long as the server. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, References } from "effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as TestServer from "#test/support/TestServer.ts"
import * as AssistantV1 from "#test/support/src/edges/mcp/AssistantV1.ts"
import { signIn } from "#test/support/src/edges/mcp/FirstSteps.ts"

const made: Array<Context.Context<never>> = []

/** The registry of tools. */
const tools = Layer.effectDiscard(
  Effect.map(Effect.context<never>(), (context) => {
    made.push(context)
  })
)

layer(TestServer.layer({ tools }))("the tools", (it) => {
  it.effect("are created once, at the first message, independently of its caller", () =>
    Effect.gen(function* () {
      const { key, urls } = yield* TestServer.TestServer
      assert.lengthOf(made, 0)
      for (const assistant of [AssistantV1.make(urls.mcpUrl), AssistantV1.make(urls.mcpUrl)]) {
        yield* Effect.promise(async () => {
          await signIn(assistant, key.replace(/^Key /, ""))
          await assistant.close()
        })
      }
      assert.lengthOf(made, 1)
      for (const context of made) {
        assert.isTrue(Context.getOption(context, HttpServerRequest)._tag === "None")
        assert.deepStrictEqual(Context.get(context, References.CurrentLogAnnotations), {})
      }
    })
  )
})
