/** One real NATS server on loopback, JetStream in a directory of its own. Removed with the scope. */
import { jetstreamManager } from "@nats-io/jetstream"
import { Effect, type Scope } from "effect"
import { freePort } from "../ServerProcess.ts"
import * as TempDirectory from "../TempDirectory.ts"
import * as NatsConnection from "./NatsConnection.ts"
import * as NatsProcess from "./NatsProcess.ts"

export interface NatsServerOptions {
  /** When it syncs what it writes: `always` (by default) before it answers, else how often, as `2m`. */
  readonly syncInterval?: string
}

/** It accepts connections and JetStream answers. */
const ready = (url: string) =>
  NatsConnection.briefly([url], async (connection) =>
    (await jetstreamManager(connection, { timeout: NatsConnection.patienceMs })).getAccountInfo()
  )

export const make = Effect.fn("NatsServer.make")(function* ({
  syncInterval = "always"
}: NatsServerOptions = {}): Effect.fn.Return<NatsProcess.NatsProcess, never, Scope.Scope> {
  const directory = yield* TempDirectory.make
  const port = yield* Effect.promise(freePort)
  return yield* NatsProcess.make({ name: "n1", port, directory, syncInterval, ready })
})
