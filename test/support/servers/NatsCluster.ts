/** Three real NATS servers on loopback that are one cluster. Removed with the scope. */
import { jetstreamManager, StorageType } from "@nats-io/jetstream"
import { Effect, type Scope } from "effect"
import { freePort } from "../ServerProcess.ts"
import * as TempDirectory from "../TempDirectory.ts"
import * as NatsConnection from "./NatsConnection.ts"
import * as NatsProcess from "./NatsProcess.ts"
import type { NatsServerOptions } from "./NatsServer.ts"
import * as Until from "./Until.ts"

export interface Cluster {
  /** A restart of one waits until it accepts connections, not until it has caught up: see `ready`. */
  readonly servers: readonly [NatsProcess.NatsProcess, NatsProcess.NatsProcess, NatsProcess.NatsProcess]
  /** `nats://` and the addresses of all three. */
  readonly url: string
  /** The server of that name, as JetStream names leaders: `n1`, `n2` or `n3`. */
  readonly named: (name: string) => NatsProcess.NatsProcess
  /** Waits until all three serve under a leader: a stream with three replicas can be made. */
  readonly ready: Effect.Effect<void>
}

const names = ["n1", "n2", "n3"] as const

/** Routes that are not there are tried again each second, and what servers know of each other comes every ten. */
const patienceMs = 40_000

/** Most have found each other within 2 s. A few never do, when their routes were made and closed in an unlucky order. */
const soonMs = 12_000

/** Takes all three: the servers refuse replicas that have nowhere to go. */
const makeReplicas = (servers: ReadonlyArray<string>) =>
  NatsConnection.briefly(servers, async (connection) => {
    const { streams } = await jetstreamManager(connection, { timeout: NatsConnection.patienceMs })
    await streams.add({ name: "READY", subjects: ["ready"], num_replicas: 3, storage: StorageType.Memory })
    await streams.delete("READY")
  })

const accepts = (url: string) => NatsConnection.briefly([url], (connection) => connection.flush())

export const make = Effect.fn("NatsCluster.make")(function* ({
  syncInterval = "always"
}: NatsServerOptions = {}): Effect.fn.Return<Cluster, never, Scope.Scope> {
  const directory = yield* TempDirectory.make
  // All at once: ports that are free together differ.
  const [routes, ports] = yield* Effect.promise(() =>
    Promise.all([Promise.all(names.map(freePort)), Promise.all(names.map(freePort))])
  )
  const routesOf = (index: number) =>
    routes.flatMap((port, other) => (other === index ? [] : [`"nats-route://127.0.0.1:${port}"`])).join(", ")

  const start = (index: 0 | 1 | 2) =>
    NatsProcess.make({
      name: names[index],
      port: ports[index] ?? 0,
      directory,
      syncInterval,
      // Clients know no address but those they were given: one behind a proxy stays behind it. One connection for each
      // two servers: of many that are made at once from both sides, too many may be closed as duplicates.
      configuration: `cluster { name: test, listen: "127.0.0.1:${routes[index] ?? 0}", routes: [${routesOf(index)}], no_advertise: true, pool_size: -1 }`,
      ready: accepts
    })
  // One after the other: servers that connect to each other at the same moment may both close what is then there twice.
  const servers = yield* Effect.all([start(0), start(1), start(2)])
  const addresses = servers.map(({ port }) => `127.0.0.1:${port}`)
  const within = (limitMs: number) => Until.answers(() => makeReplicas(addresses), limitMs)
  const ready = within(patienceMs)
  const again = Effect.forEach(servers, ({ restart }) => restart, { discard: true })
  yield* Effect.catchDefect(within(soonMs), () => Effect.andThen(again, ready))

  const named = (name: string) => {
    const server = servers.find((server) => server.name === name)
    if (server === undefined) throw new Error(`No server is named ${name}`)
    return server
  }
  return { servers, url: `nats://${addresses.join(",")}`, named, ready }
})
