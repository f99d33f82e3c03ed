/** A server that stops while fal's client waits for a run and reads a stream. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as FalClients from "#test/support/src/edges/fal/FalClients.ts"

describe("a server that stops", () => {
  it.live("says to fal's client that its requests go on, and they do", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* TempDirectory.make
      const port = yield* Effect.promise(() => ServerProcess.freePort())
      const start = Effect.acquireRelease(
        Effect.promise(() => ServerProcess.start({ dataDirectory, port })),
        ({ kill }) => Effect.promise(() => kill("SIGTERM"))
      )
      const { kill, url } = yield* start
      const fal = FalClients.connect(url, ServerProcess.apiKey)
      const ids = yield* Effect.promise(async () => {
        const run = FalClients.thrown(fal.run("sandbox/slow", { input: { seconds: 604 } }))
        const stream = await fal.stream("sandbox/stream", { input: { count: 1_000, delayMs: 100 } })
        const events: Array<unknown> = []
        const hasFirst = new Promise<void>((resolve) =>
          stream.on("data", (event: unknown) => {
            events.push(event)
            resolve()
          })
        )
        const cut = stream.done().then(
          () => assert.fail("it ended well"),
          (error: Error) => error.message
        )
        await hasFirst
        await FalClients.running(url, "sandbox/slow")
        await kill("SIGTERM")
        const error = await run
        assert.strictEqual(error.status, 504)
        assert.isTrue(error.isUserTimeout)
        assert.include(error.message, "goes on")
        assert.include(await cut, "The stream was cut.")
        assert.deepInclude(events.at(-1), { error_type: "stream_cut_off" })
        return { run: error.requestId, stream: stream.requestId ?? "" }
      })
      yield* start
      yield* Effect.promise(async () => {
        const running = await fal.queue.status("sandbox/slow", { requestId: ids.run })
        const streaming = await fal.queue.status("sandbox/stream", { requestId: ids.stream })
        for (const status of [running, streaming]) assert.notProperty(status, "error")
      })
    })
  )
})
