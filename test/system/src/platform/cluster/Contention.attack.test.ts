/** Two nodes that write to the same streams concurrently. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as NatsBinary from "#test/support/servers/NatsBinary.ts"
import * as NatsConnection from "#test/support/servers/NatsConnection.ts"
import * as NatsProcess from "#test/support/servers/NatsProcess.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import { figure } from "#test/support/attacks/Form.ts"

const writers = figure({ short: 30, long: 100 })

const nodes = Effect.gen(function* () {
  const directory = yield* TempDirectory.make
  const natsPort = yield* Effect.promise(ServerProcess.freePort)
  const nats = yield* NatsProcess.make({
    name: "n1",
    port: natsPort,
    directory,
    ready: (url) => NatsConnection.briefly([url], (connection) => connection.flush())
  })
  const env = {
    EVENT_STORE: `${nats.url}?prefix=contended`,
    MASTER_KEY: "5e".repeat(32),
    BLOB_STORE: `file://${directory}/shared`
  }
  const start = (name: string) =>
    Effect.acquireRelease(
      Effect.promise(async () => {
        const port = await ServerProcess.freePort()
        return ServerProcess.start({ dataDirectory: `${directory}/${name}`, port, env })
      }),
      (server) => Effect.promise(() => server.kill("SIGKILL"))
    )
  return [yield* start("a"), yield* start("b")] as const
})

const post = async (url: string, body: object) => {
  const response = await fetch(url, {
    method: "POST",
    headers: { ...ServerProcess.authorization, "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(60_000)
  })
  await response.text()
  return { status: response.status, retryAfter: response.headers.get("retry-after") }
}

describe.skipIf(NatsBinary.isMissing)(NatsBinary.named("B7: many writers to one stream on two nodes"), () => {
  it.live(
    "are all answered, and a writer that keeps losing gets 503 with Retry-After",
    () =>
      Effect.gen(function* () {
        const servers = yield* nodes
        const answers = yield* Effect.promise(() =>
          Promise.all(
            servers.flatMap(({ url }) =>
              Array.from({ length: writers }, (_, index) =>
                post(`${url}/keys`, { name: `writer ${index}`, scopes: ["requests:read"] })
              )
            )
          )
        )
        const created = answers.filter(({ status }) => status === 201).length
        for (const { retryAfter, status } of answers) {
          assert.include([201, 409, 503], status)
          if (status === 503) assert.isNotNull(retryAfter)
        }
        assert.isAtLeast(created, writers)
        for (const { url } of servers) {
          const headers = ServerProcess.authorization
          const { status } = yield* Effect.promise(() => fetch(`${url}/keys?limit=1`, { headers }))
          assert.strictEqual(status, 200)
        }
      }).pipe(Effect.scoped),
    120_000
  )
})
