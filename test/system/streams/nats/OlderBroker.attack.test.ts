/** A NATS server comes back with an older or an empty store while nodes accept submits. */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as NatsBinary from "#test/support/servers/NatsBinary.ts"
import * as NatsConnection from "#test/support/servers/NatsConnection.ts"
import * as NatsProcess from "#test/support/servers/NatsProcess.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const submit = async (url: string): Promise<boolean> => {
  const response = await fetch(`${url}/sandbox/echo`, {
    method: "POST",
    headers: { ...ServerProcess.authorization, "content-type": "application/json" },
    body: '{"value":1}',
    signal: AbortSignal.timeout(20_000)
  })
  await response.text()
  return response.status === 200
}

/** Clients that submit sequentially until they are stopped. Counts the accepted requests. */
const load = (url: string, clients: number) => {
  const state = { accepted: 0, isOver: false }
  const client = async () => {
    while (!state.isOver) {
      const isAccepted = await submit(url).catch(() => false)
      if (isAccepted) state.accepted++
      else await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const ended = Promise.all(Array.from({ length: clients }, client))
  return {
    accepted: () => state.accepted,
    until: async (count: number) => {
      while (state.accepted < count) await new Promise((resolve) => setTimeout(resolve, 20))
    },
    stop: () => {
      state.isOver = true
      return ended
    }
  }
}

const broker = Effect.gen(function* () {
  const directory = yield* TempDirectory.make
  const port = yield* Effect.promise(ServerProcess.freePort)
  const server = yield* NatsProcess.make({
    name: "n1",
    port,
    directory,
    ready: (url) => NatsConnection.briefly([url], (connection) => connection.flush())
  })
  return { server, store: path.join(directory, "n1") }
})

const serving = (nats: string) =>
  Effect.gen(function* () {
    const dataDirectory = yield* TempDirectory.make
    const port = yield* Effect.promise(ServerProcess.freePort)
    return yield* Effect.acquireRelease(
      Effect.promise(() =>
        ServerProcess.start({
          dataDirectory,
          port,
          env: {
            EVENT_STORE: `${nats}?prefix=older&sync=always`,
            MASTER_KEY: "5e".repeat(32),
            BLOB_STORE: `file://${dataDirectory}/shared`
          }
        })
      ),
      (server) => Effect.promise(() => server.kill("SIGKILL"))
    )
  })

const diverged = 3

describe.skipIf(NatsBinary.isMissing)(
  NatsBinary.named("E2: a NATS server that comes back with another store"),
  () => {
    for (const kind of ["an older", "an empty"] as const) {
      it.live(`ends the node within 10 s, which acknowledges nothing on ${kind} store`, () =>
        Effect.gen(function* () {
          const { server, store } = yield* broker
          const node = yield* serving(server.url)
          const clients = load(node.url, 8)
          yield* Effect.addFinalizer(() => Effect.promise(() => clients.stop()))
          yield* Effect.promise(() => clients.until(40))
          yield* server.kill
          fs.cpSync(store, `${store}.old`, { recursive: true })
          yield* server.restart
          const before = clients.accepted()
          yield* Effect.promise(() => clients.until(before + 40))
          yield* server.kill
          fs.rmSync(store, { recursive: true })
          if (kind === "an older") fs.renameSync(`${store}.old`, store)
          const acknowledged = clients.accepted()
          const began = performance.now()
          yield* server.restart
          const code = yield* Effect.promise(() => node.exited).pipe(Effect.timeout("30 seconds"))
          const tookMs = performance.now() - began
          assert.strictEqual(code, diverged)
          assert.isBelow(tookMs, 10_000)
          assert.include(node.output(), "LogDiverged")
          // Acknowledgements from before the kill may reach the clients slightly later.
          assert.isAtMost(clients.accepted() - acknowledged, 8)
        }).pipe(Effect.scoped)
      )
    }
  }
)
