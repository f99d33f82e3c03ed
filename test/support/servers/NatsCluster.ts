/** A cluster of three real NATS servers on loopback, removed with the scope. */
import { jetstreamManager, StorageType } from "@nats-io/jetstream"
import { Effect, type Scope } from "effect"
import { freePort } from "../ServerProcess.ts"
import * as TempDirectory from "../TempDirectory.ts"
import * as NatsConnection from "./NatsConnection.ts"
import * as NatsProcess from "./NatsProcess.ts"
import type { NatsServerOptions } from "./NatsServer.ts"
import * as Until from "../Until.ts"

export interface Cluster {
  /** A restarted server accepts connections when this returns, but may not have caught up: see `ready`. */
  readonly servers: readonly [NatsProcess.NatsProcess, NatsProcess.NatsProcess, NatsProcess.NatsProcess]
  /** A `nats://` URL with the addresses of all three. */
  readonly url: string
  /** The server with the name that JetStream uses for leaders: `n1`, `n2` or `n3`. */
  readonly named: (name: string) => NatsProcess.NatsProcess
  /**
   * Waits until all three servers have found each other and have a leader, so that a stream with three replicas can
   * be created.
   */
  readonly ready: Effect.Effect<void>
}

const names = ["n1", "n2", "n3"] as const

/** The servers retry missing routes each second, and exchange what they know every ten seconds. */
const patience = Until.processes

/** Most clusters form within 2 s. A few never do, if their routes were opened and closed in an unlucky order. */
const soon = { limitMs: 12_000 }

/** The number of servers to which the server with this monitoring port has a route. */
const others = async (monitor: number): Promise<number> => {
  const answer = await fetch(`http://127.0.0.1:${monitor}/routez`)
  const { routes = [] } = Object(await answer.json())
  return new Set(routes.map(({ remote_id }: { readonly remote_id: string }) => remote_id)).size
}

/** Needs all three servers, because they refuse replicas that have no place. */
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
  // Takes all ports at once, so that they differ.
  const [routes, ports, monitors] = yield* Effect.promise(() =>
    Promise.all([
      Promise.all(names.map(freePort)),
      Promise.all(names.map(freePort)),
      Promise.all(names.map(freePort))
    ])
  )
  const routesOf = (index: number) =>
    routes.flatMap((port, other) => (other === index ? [] : [`"nats-route://127.0.0.1:${port}"`])).join(", ")

  const start = (index: 0 | 1 | 2) =>
    NatsProcess.make({
      name: names[index],
      port: ports[index] ?? 0,
      directory,
      syncInterval,
      // Clients use only the given addresses, so a client behind a proxy stays behind it. One connection per pair of
      // servers, because duplicates might all be closed.
      configuration: `http: "127.0.0.1:${monitors[index] ?? 0}"
cluster { name: test, listen: "127.0.0.1:${routes[index] ?? 0}", routes: [${routesOf(index)}], no_advertise: true, pool_size: -1 }`,
      ready: accepts
    })
  // One after the other: two servers that connect to each other at the same moment may both close the duplicate
  // connection.
  const servers = yield* Effect.all([start(0), start(1), start(2)])
  const addresses = servers.map(({ port }) => `127.0.0.1:${port}`)
  /** The first server without a route. Two servers without one between them work as long as the third leads. */
  const findLonely = async () => {
    const found = await Promise.all(monitors.map((port) => others(port).catch(() => 0)))
    return servers[found.findIndex((size) => size < names.length - 1)]
  }
  const haveFound = async () => {
    const lonely = await findLonely()
    if (lonely !== undefined) throw new Error(`${lonely.name} lacks a route`)
  }
  const restartLonely = Effect.flatMap(Effect.promise(findLonely), (lonely) => lonely?.restart ?? Effect.void)
  const serve = (limit: Until.Limit) => Until.answers(() => makeReplicas(addresses), limit)
  const again = Effect.forEach(servers, ({ restart }) => restart, { discard: true })
  // Even with all routes, servers may know no place for a replica. Restarting all of them helps.
  yield* Effect.catchDefect(serve(soon), () => Effect.andThen(again, serve(patience)))

  const ready = Until.answers(haveFound, soon).pipe(
    Effect.catchDefect(() => Effect.andThen(restartLonely, Until.answers(haveFound, patience))),
    Effect.andThen(serve(patience))
  )

  const named = (name: string) => {
    const server = servers.find((server) => server.name === name)
    if (server === undefined) throw new Error(`No server is named ${name}`)
    return server
  }
  return { servers, url: `nats://${addresses.join(",")}`, named, ready }
})
