/**
 * A cluster of three servers whose leaders are killed and paused, and a node that loses one of its connections.
 * @cost Three NATS servers, whose elections take seconds.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Scope } from "effect"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as NatsOptions from "#streams/nats/NatsOptions.ts"
import * as StreamName from "#streams/StreamName.ts"
import { eventData } from "#test/support/EventFixtures.ts"
import * as NatsBinary from "#test/support/servers/NatsBinary.ts"
import * as NatsCluster from "#test/support/servers/NatsCluster.ts"
import * as StreamLeader from "#test/support/servers/StreamLeader.ts"
import * as TcpProxy from "#test/support/servers/TcpProxy.ts"
import * as NatsLog from "#test/support/streams/nats/NatsLog.ts"
import * as RacingWriters from "#test/support/streams/nats/RacingWriters.ts"

const scope = Scope.makeUnsafe()
let cluster: NatsCluster.Cluster

const leaderOf = (options: NatsOptions.NatsOptions) =>
  StreamLeader.of(cluster, NatsOptions.names(options).events.stream)

describe.skipIf(NatsBinary.isMissing)(NatsBinary.named("A log on a cluster"), () => {
  beforeAll(async () => {
    cluster = await Effect.runPromise(Scope.provide(NatsCluster.make({ syncInterval: "2m" }), scope))
  }, 60_000)
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  it.live(
    "has one winner per version and every acknowledged append, after its leader is killed and the next one hangs",
    () =>
      Effect.gen(function* () {
        const options = NatsLog.options(cluster.url, "&replicas=3")
        const nodes = yield* Effect.all([NatsLog.openNode(options), NatsLog.openNode(options)])
        const writers = RacingWriters.make(nodes, 8)
        yield* writers.write(5)
        const before = writers.acknowledged.length
        const follower = yield* Effect.forkChild(RacingWriters.followIds(nodes[0], before * 2))

        const first = yield* Effect.forkChild(writers.write(8))
        yield* RacingWriters.followIds(nodes[1], before + 20)
        const killed = yield* leaderOf(options)
        yield* killed.kill
        yield* Fiber.join(first)
        yield* killed.restart
        yield* cluster.ready
        yield* StreamLeader.whole(cluster, NatsOptions.names(options).events.stream)

        const second = yield* Effect.forkChild(writers.write(8))
        yield* RacingWriters.followIds(nodes[1], before * 2 + 40)
        const held = yield* leaderOf(options)
        yield* held.pause
        yield* Fiber.join(second)
        yield* held.resume

        const ids = yield* writers.check(nodes[1])
        assert.deepStrictEqual(yield* Fiber.join(follower), ids.slice(0, before * 2))
        yield* writers.check(yield* NatsLog.openNode(options))
      }).pipe(Effect.scoped),
    120_000
  )

  it.live("continues through the other servers if one cannot be reached", () =>
    Effect.gen(function* () {
      yield* cluster.ready
      const proxies = yield* Effect.forEach(cluster.servers, ({ port }) => TcpProxy.make(port))
      const [first = "", ...others] = proxies.map(({ port }) => `127.0.0.1:${port}`)
      const options = NatsLog.options(cluster.url, "&replicas=3")
      const node = yield* NatsLog.openNode({ ...options, servers: [first, ...others] })
      const store = Context.get(node, EventStore)
      const append = (id: string) =>
        store.append({
          stream: StreamName.make("Thing", "a"),
          expected: ExpectedVersion.Any,
          events: [eventData(id)]
        })
      // Each server in turn, because the node may use any of them.
      for (const [index, proxy] of proxies.entries()) {
        yield* proxy.cut("refuse")
        yield* append(`without ${index}`)
        yield* proxy.heal
      }
      const ids = (yield* store.read(StreamName.make("Thing", "a"))).map(({ id }) => id)
      assert.deepStrictEqual(ids, ["without 0", "without 1", "without 2"])
    }).pipe(Effect.scoped)
  )
})
