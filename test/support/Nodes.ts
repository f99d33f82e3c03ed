/**
 * The nodes of one log, as processes. Each connects to the NATS servers through its own proxies, so that a test can
 * cut off a single node. All nodes have one public address, as behind a load balancer, so their answers are equal.
 */
import { Kvm } from "@nats-io/kv"
import { Effect, type Scope } from "effect"
import { names } from "#streams/nats/NatsOptions.ts"
import * as ServerProcess from "./ServerProcess.ts"
import type { Cluster } from "./servers/NatsCluster.ts"
import * as NatsConnection from "./servers/NatsConnection.ts"
import { pause } from "./servers/Pause.ts"
import * as TcpProxy from "./servers/TcpProxy.ts"
import * as Until from "./Until.ts"
import * as TempDirectory from "./TempDirectory.ts"

export interface Node {
  readonly number: number
  readonly url: string
  /** The environment of commands on its data directory. They connect to the NATS servers without a proxy. */
  readonly settings: Readonly<Record<string, string>>
  /** The node name in the claims of its current or last process. */
  readonly name: () => string
  /** Everything printed so far, including by earlier processes. */
  readonly output: () => string
  /** Sends SIGKILL and waits until the process has ended. */
  readonly kill: Effect.Effect<void>
  /** Starts a new process on the same directory after `kill`, and waits until it serves. */
  readonly restart: Effect.Effect<void>
  /** Connections stay open, and no request is answered. */
  readonly pause: Effect.Effect<void>
  readonly resume: Effect.Effect<void>
  /** Cuts the node off from all NATS servers. */
  readonly cut: (how: TcpProxy.Cut) => Effect.Effect<void>
  readonly heal: Effect.Effect<void>
}

export interface NodesOptions {
  /** The prefix of the log's names at the servers. Each prefix is a log of its own. */
  readonly prefix: string
  /** Settings of all nodes. */
  readonly env?: Readonly<Record<string, string>>
}

const masterKey = "5e".repeat(32)

/** Names of the nodes whose heartbeats the servers have. */
const beating = (servers: ReadonlyArray<string>, prefix: string) =>
  NatsConnection.briefly(servers, async (connection) => {
    const bucket = await new Kvm(connection).open(names({ prefix }).nodes, { allow_direct: false })
    const found: Array<string> = []
    for await (const name of await bucket.keys()) found.push(name)
    return found
  })

/**
 * Starts nodes of the log. The first one creates it. Start them one after the other, because `name` is found by what
 * is new. Each has the settings of all nodes, without a proxy to the NATS servers.
 */
export const make = Effect.fn("Nodes.make")(function* (cluster: Cluster, { env = {}, prefix }: NodesOptions) {
  const blobs = yield* TempDirectory.make
  const servers = cluster.servers.map(({ port }) => `127.0.0.1:${port}`)
  const address = (hosts: ReadonlyArray<string>) =>
    `nats://${hosts.join(",")}?prefix=${prefix}&replicas=3&sync=always`
  const shared = {
    MASTER_KEY: masterKey,
    BLOB_STORE: `file://${blobs}`,
    EVENT_STORE: address(servers),
    ...env
  }
  const known = new Set<string>()
  let publicUrl: string | null = null

  /** Serves when this returns. Killed with the scope. */
  const start = Effect.fn("Nodes.start")(function* (
    number: number
  ): Effect.fn.Return<Node, never, Scope.Scope> {
    const dataDirectory = yield* TempDirectory.make
    const proxies = yield* Effect.forEach(cluster.servers, ({ port }) => TcpProxy.make(port))
    const port = yield* Effect.promise(ServerProcess.freePort)
    const url = `http://127.0.0.1:${port}`
    publicUrl ??= url
    const common = {
      ...shared,
      QUEUE_URL: publicUrl,
      BASE_URL: publicUrl,
      MEDIA_URL: publicUrl,
      MCP_URL: publicUrl,
      LOG_REQUESTS_PER_SECOND: "0"
    }
    const settings = { ...common, DATA_DIR: dataDirectory }
    const behindProxies = address(proxies.map(({ port }) => `127.0.0.1:${port}`))

    const outputs: Array<() => string> = []
    let name = ""
    const begin = Effect.promise(async () => {
      const started = await ServerProcess.start({
        dataDirectory,
        port,
        env: { ...common, EVENT_STORE: behindProxies }
      })
      outputs.push(started.output)
      return started
    })
    const recognize = Until.answers(async () => {
      const found = (await beating(servers, prefix)).find((name) => !known.has(name))
      if (found === undefined) throw new Error("No heartbeat of a new node")
      known.add(found)
      name = found
    }, Until.processes)

    let server = yield* begin
    yield* Effect.addFinalizer(() => Effect.promise(() => server.kill("SIGKILL")))
    yield* recognize

    const restart = Effect.gen(function* () {
      server = yield* begin
      yield* recognize
    })
    return {
      number,
      url,
      settings,
      name: () => name,
      output: () => outputs.map((output) => output()).join("\n"),
      kill: Effect.promise(() => server.kill("SIGKILL")),
      restart,
      pause: Effect.suspend(() => pause(server.pid)),
      resume: Effect.sync(() => server.signal("SIGCONT")),
      cut: (how) => Effect.forEach(proxies, (proxy) => proxy.cut(how), { discard: true }),
      heal: Effect.forEach(proxies, ({ heal }) => heal, { discard: true })
    }
  })

  return { start, settings: shared }
})
