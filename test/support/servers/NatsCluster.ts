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
  /** Waits until all three have found each other and serve under a leader: a stream with three replicas can be made. */
  readonly ready: Effect.Effect<void>
}

const names = ["n1", "n2", "n3"] as const

/** Routes that are not there are tried again each second, and what servers know of each other comes every ten. */
const patienceMs = 40_000

/** Most have found each other within 2 s. A few never do, when their routes were made and closed in an unlucky order. */
const soonMs = 12_000

/** How many others the server at this port for monitoring has a route to. */
const others = async (monitor: number): Promise<number> => {
  const answer = await fetch(`http://127.0.0.1:${monitor}/routez`)
  const { routes = [] } = Object(await answer.json())
  return new Set(routes.map(({ remote_id }: { readonly remote_id: string }) => remote_id)).size
}

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
      // Clients know no address but those they were given: one behind a proxy stays behind it. One connection for each
      // two servers: of many that are made at once from both sides, too many may be closed as duplicates.
      configuration: `http: "127.0.0.1:${monitors[index] ?? 0}"
cluster { name: test, listen: "127.0.0.1:${routes[index] ?? 0}", routes: [${routesOf(index)}], no_advertise: true, pool_size: -1 }`,
      ready: accepts
    })
  // One after the other: servers that connect to each other at the same moment may both close what is then there twice.
  const servers = yield* Effect.all([start(0), start(1), start(2)])
  const addresses = servers.map(({ port }) => `127.0.0.1:${port}`)
  /** The first that lacks a route. Two without one between them work for as long as the third one leads. */
  const findLonely = async () => {
    const found = await Promise.all(monitors.map((port) => others(port).catch(() => 0)))
    return servers[found.findIndex((size) => size < names.length - 1)]
  }
  const haveFound = async () => {
    const lonely = await findLonely()
    if (lonely !== undefined) throw new Error(`${lonely.name} lacks a route`)
  }
  const restartLonely = Effect.flatMap(Effect.promise(findLonely), (lonely) => lonely?.restart ?? Effect.void)
  const serve = (limitMs: number) => Until.answers(() => makeReplicas(addresses), limitMs)
  const again = Effect.forEach(servers, ({ restart }) => restart, { discard: true })
  // With routes to all they may still know of no place for a replica: then starting all of them again is what helps.
  yield* Effect.catchDefect(serve(soonMs), () => Effect.andThen(again, serve(patienceMs)))

  const ready = Until.answers(haveFound, soonMs).pipe(
    Effect.catchDefect(() => Effect.andThen(restartLonely, Until.answers(haveFound, patienceMs))),
    Effect.andThen(serve(patienceMs))
  )

  const named = (name: string) => {
    const server = servers.find((server) => server.name === name)
    if (server === undefined) throw new Error(`No server is named ${name}`)
    return server
  }
  return { servers, url: `nats://${addresses.join(",")}`, named, ready }
})
