/** The server is killed during a conversation, and the client need not start again. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import type { Assistant } from "#test/support/src/edges/mcp/Assistant.ts"
import * as AssistantV1 from "#test/support/src/edges/mcp/AssistantV1.ts"
import * as AssistantV2 from "#test/support/src/edges/mcp/AssistantV2.ts"
import { signIn, toolNames } from "#test/support/src/edges/mcp/FirstSteps.ts"

const started = (options: ServerProcess.StartOptions) =>
  Effect.acquireRelease(
    Effect.promise(() => ServerProcess.start(options)),
    ({ kill }) => Effect.promise(() => kill("SIGKILL"))
  )

/** Must not change: the session and the login, which the assistant could silently renew. */
const factsOf = ({ login, session }: Assistant) => ({
  session: session().id,
  accessToken: login.current?.access_token,
  issued: login.issued
})

/** Resolves with the id of the awaited request and the end of that wait. */
const waitingFor = async (assistant: Assistant) => {
  const run = { modelEndpoint: "sandbox/slow", input: { seconds: 2 } }
  const { structured, text } = await assistant.call("run_model", run)
  const requestId = structured["requestId"]
  assert.isString(requestId, text)
  const told = Promise.withResolvers<void>()
  const wait = { requestId, pollIntervalSeconds: 0.5 }
  const ended = assistant
    .call("wait_for_request", wait, () => told.resolve())
    .then(
      () => "answered",
      () => "lost"
    )
  await told.promise
  return { requestId, ended }
}

describe("a server that is killed and restarted", () => {
  it.live("continues the sessions and logins of assistants", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* TempDirectory.make
      const port = yield* Effect.promise(ServerProcess.freePort)
      const first = yield* started({ dataDirectory, port })
      const assistants = yield* Effect.acquireRelease(
        Effect.sync(() => [AssistantV1.make(first.url), AssistantV2.make(first.url)]),
        (made) => Effect.promise(() => Promise.all(made.map(({ close }) => close())))
      )
      const each = <A>(use: (assistant: Assistant, index: number) => Promise<A>) =>
        Effect.promise(() => Promise.all(assistants.map(use)))

      yield* each(async (assistant) => {
        await signIn(assistant, ServerProcess.apiKey)
        assert.strictEqual((await assistant.tools()).length, toolNames.length)
      })
      const before = assistants.map(factsOf)
      const waits = yield* each(waitingFor)

      yield* Effect.promise(() => first.kill("SIGKILL"))
      yield* started({ dataDirectory, port })

      yield* each(async (assistant, index) => {
        const again = await assistant.call("wait_for_request", { requestId: waits[index]?.requestId })
        assert.isFalse(again.isError, again.text)
        assert.deepInclude(again.structured, { status: "COMPLETED", output: { slept: 2 } })
      })
      assert.deepStrictEqual(assistants.map(factsOf), before)
      // Some clients notice a broken answer only at their timeout.
      const ends = yield* each(async ({ close }, index) => {
        await close()
        return waits[index]?.ended
      })
      assert.deepStrictEqual(ends, ["lost", "lost"])
    })
  )
})
