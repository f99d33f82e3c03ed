/** A NATS server that comes back with an older store, or an empty one, under nodes that take submits all the while. */
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

/** Clients that submit one request after the other until they are stopped; counts what was accepted. */
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
  NatsBinary.named("E2: a broker that comes back with another store"),
  () => {
    for (const kind of ["an older", "an empty"] as const) {
      it.live(`ends the node within 10 s, and acknowledges nothing on ${kind} one`, () =>
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
          // A client hears of what was acknowledged before the kill a moment after it.
          assert.isAtMost(clients.accepted() - acknowledged, 8)
        }).pipe(Effect.scoped)
      )
    }
  }
)
