/** A real NATS server on loopback with JetStream in its own directory, removed with the scope. */
import { jetstreamManager } from "@nats-io/jetstream"
import { Effect, type Scope } from "effect"
import { freePort } from "../ServerProcess.ts"
import * as TempDirectory from "../TempDirectory.ts"
import * as NatsConnection from "./NatsConnection.ts"
import * as NatsProcess from "./NatsProcess.ts"

export interface NatsServerOptions {
  /** When it syncs writes: `always` (the default, before each answer), or an interval such as `2m`. */
  readonly syncInterval?: string
}

/** Accepts connections, and JetStream answers. */
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
