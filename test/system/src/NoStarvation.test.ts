/**
 * Clients that submit as fast as possible do not prevent their requests from running.
 * @alone It checks times or memory against limits.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as SqliteEventReader from "#streams/sqlite/SqliteEventReader.ts"
import { files } from "#streams/sqlite/LogFiles.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const clients = 64
const requests = 3_000

const serve = (dataDirectory: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => ServerProcess.start({ dataDirectory, port: await ServerProcess.freePort() })),
    (server) => Effect.promise(() => server.kill("SIGTERM"))
  )

const submit = async (url: string) => {
  const response = await fetch(`${url}/sandbox/echo`, {
    method: "POST",
    headers: { ...ServerProcess.authorization, "content-type": "application/json" },
    body: JSON.stringify({ value: "x".repeat(200) })
  })
  await response.arrayBuffer()
  return response.status
}

/** Submits without pauses. Ends with the last answer. */
const flood = async (url: string) => {
  let left = requests
  const client = async () => {
    while (left-- > 0) assert.strictEqual(await submit(url), 200)
  }
  await Promise.all(Array.from({ length: clients }, client))
}

/** The number of events of each type on the log. */
const counts = Effect.gen(function* () {
  const reader = yield* EventReader
  const events = yield* Stream.runCollect(reader.readAll(GlobalPosition.beginning))
  return Map.groupBy(events, ({ type }) => type)
})

describe("a flood of submits", () => {
  it.live("runs requests while it accepts more", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      const { url } = yield* serve(directory)
      yield* Effect.promise(() => flood(url))
      const byType = yield* Effect.provide(
        counts,
        SqliteEventReader.layer({ filename: files(directory).log })
      )
      assert.lengthOf(byType.get("RequestSubmitted") ?? [], requests)
      // A starved dispatcher would have done almost nothing by the last answer.
      assert.isAbove(byType.get("RequestCompleted")?.length ?? 0, requests / 2)
    })
  )
})
