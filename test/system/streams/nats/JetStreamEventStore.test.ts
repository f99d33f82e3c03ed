import { afterAll, beforeAll, describe } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import * as NatsBinary from "#test/support/servers/NatsBinary.ts"
import * as NatsServer from "#test/support/servers/NatsServer.ts"
import { eventStoreContract } from "#test/support/streams/EventStoreContract.ts"
import { payloadRecordsContract } from "#test/support/streams/PayloadRecordsContract.ts"
import * as NatsLog from "#test/support/streams/nats/NatsLog.ts"

const scope = Scope.makeUnsafe()
let url = ""

describe.skipIf(NatsBinary.isMissing)(NatsBinary.named("A log on one NATS server"), () => {
  beforeAll(async () => {
    const server = await Effect.runPromise(Scope.provide(NatsServer.make(), scope))
    url = server.url
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  const log = NatsLog.fresh(Effect.sync(() => url))
  eventStoreContract("JetStream with one replica", log)
  payloadRecordsContract("JetStream with one replica", log)
})
