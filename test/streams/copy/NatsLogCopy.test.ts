import { afterAll, beforeAll, describe } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import * as NatsBinary from "#test/support/servers/NatsBinary.ts"
import * as NatsServer from "#test/support/servers/NatsServer.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import { tailReadContract } from "../TailReadContract.ts"
import type { Backend } from "./CopiedLogs.ts"
import { logCopyContract } from "./LogCopyContract.ts"
import * as NatsLog from "../nats/NatsLog.ts"

const scope = Scope.makeUnsafe()
let url = ""

const nats: Backend = {
  name: "NATS",
  layer: NatsLog.fresh(Effect.sync(() => url)),
  sharesCommits: false
}

const memory: Backend = { name: "memory", layer: MemoryEventStore.layer, sharesCommits: false }

const sqlite: Backend = {
  name: "SQLite",
  layer: TempDirectory.provide(SqliteEventStore.layer),
  sharesCommits: true
}

describe.skipIf(NatsBinary.isMissing)(NatsBinary.named("A log on NATS"), () => {
  beforeAll(async () => {
    const server = await Effect.runPromise(Scope.provide(NatsServer.make(), scope))
    url = server.url
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  logCopyContract(sqlite, nats)
  logCopyContract(nats, memory)
  tailReadContract("NATS", nats.layer)
})
