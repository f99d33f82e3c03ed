import { afterAll, beforeAll, describe } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import * as NatsBinary from "#test/support/servers/NatsBinary.ts"
import * as NatsCluster from "#test/support/servers/NatsCluster.ts"
import { eventStoreContract } from "#test/support/streams/EventStoreContract.ts"
import { payloadRecordsContract } from "#test/support/streams/PayloadRecordsContract.ts"
import * as NatsLog from "#test/support/streams/nats/NatsLog.ts"

const scope = Scope.makeUnsafe()
let url = ""

describe.skipIf(NatsBinary.isMissing)(NatsBinary.named("A log on a cluster of NATS servers"), () => {
  beforeAll(async () => {
    const cluster = await Effect.runPromise(Scope.provide(NatsCluster.make(), scope))
    url = cluster.url
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  const log = NatsLog.fresh(
    Effect.sync(() => url),
    "&replicas=3"
  )
  eventStoreContract("JetStream with three replicas", log)
  payloadRecordsContract("JetStream with three replicas", log)
})
