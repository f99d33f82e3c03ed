/** @first It takes long, so at the end it would run alone. */
import { afterAll, beforeAll, describe } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import * as JetStreamTarget from "#streams/nats/JetStreamTarget.ts"
import * as NatsBinary from "#test/support/servers/NatsBinary.ts"
import * as NatsServer from "#test/support/servers/NatsServer.ts"
import { tailReadContract } from "#test/support/streams/TailReadContract.ts"
import { type Backend, memory, sqlite } from "#test/support/streams/copy/CopiedLogs.ts"
import { logCopyContract } from "#test/support/streams/copy/LogCopyContract.ts"
import * as NatsLog from "#test/support/streams/nats/NatsLog.ts"

const scope = Scope.makeUnsafe()
let url = ""

const nats: Backend = {
  name: "NATS",
  layer: NatsLog.fresh(Effect.sync(() => url)),
  openTarget: Effect.suspend(() => JetStreamTarget.open(NatsLog.options(url)))
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
