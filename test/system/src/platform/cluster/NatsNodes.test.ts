import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { Nats } from "#streams/nats/Nats.ts"
import { names } from "#streams/nats/NatsOptions.ts"
import * as NatsNodes from "#src/platform/cluster/NatsNodes.ts"
import { Nodes } from "#src/platform/cluster/Nodes.ts"
import * as NatsBinary from "#test/support/servers/NatsBinary.ts"
import * as NatsCluster from "#test/support/servers/NatsCluster.ts"
import * as NatsServer from "#test/support/servers/NatsServer.ts"
import * as TcpProxy from "#test/support/servers/TcpProxy.ts"
import * as ClusterNode from "#test/support/src/platform/cluster/ClusterNode.ts"
import * as NodeProcess from "#test/support/src/platform/cluster/NodeProcess.ts"

/** It knows again that an unknown node is not alive. */
const hearsAgain = ({ nodes }: ClusterNode.ClusterNode) =>
  ClusterNode.until(Effect.sync(() => !nodes.isAlive("node_unknown")))

/** Each hears what the other reports, and a signal once, before the next heartbeat is due. */
const exchangeReports = Effect.fnUntraced(function* (
  one: ClusterNode.ClusterNode,
  two: ClusterNode.ClusterNode
) {
  yield* two.reports.contribute("jobs", () => ({ running: 3 }))
  yield* two.reports.contribute("broken", () => {
    throw new Error("not readable")
  })
  const received: Array<string> = []
  yield* Effect.forkScoped(
    Stream.runForEach(one.reports.signals, (text) => Effect.sync(() => void received.push(text)))
  )
  yield* Effect.yieldNow
  const began = performance.now()
  two.reports.signal("reset gpu")
  yield* ClusterNode.until(Effect.sync(() => received.length > 0))
  assert.isBelow(performance.now() - began, 1_500)
  const [heard] = one.reports.heard().filter(({ isSelf }) => !isSelf)
  assert.deepStrictEqual(heard?.parts, { jobs: { running: 3 } })
  assert.isAtMost(Math.abs(Date.now() - (heard?.heardAt ?? 0)), 10_000)
  const first = heard?.heardAt
  yield* ClusterNode.until(
    Effect.sync(() => one.reports.heard().some(({ heardAt, isSelf }) => !isSelf && heardAt !== first))
  )
  assert.deepStrictEqual(received, ["reset gpu"])
})

const seldom = { beatMs: 15_000, deadMs: 45_000, ttlMs: 60_000 }
const real = { nodes: {}, lease: {} }

describe.skipIf(NatsBinary.isMissing)(NatsBinary.named("NatsNodes"), { concurrent: true }, () => {
  it.live("see each other, and no longer see one that stops gracefully", () =>
    Effect.gen(function* () {
      const server = yield* NatsServer.make()
      const nats = ClusterNode.options(server.url, "seen")
      const one = yield* ClusterNode.start({ nats, ...real })
      assert.deepStrictEqual(one.nodes.live(), [one.nodes.self])
      assert.isFalse(one.nodes.isAlive("node_unknown"))

      const two = yield* ClusterNode.start({ nats, ...real })
      const both = [one.nodes.self, two.nodes.self].sort()
      yield* ClusterNode.untilLive(one, both)
      yield* exchangeReports(one, two)

      const began = performance.now()
      yield* two.stop
      yield* ClusterNode.untilLive(one, [one.nodes.self])
      assert.isBelow(performance.now() - began, 4_000)
      assert.isFalse(one.nodes.isAlive(two.nodes.self))
      assert.deepStrictEqual(
        one.reports.heard().map(({ isLive, name }) => [name, isLive]),
        both.map((name) => [name, name === one.nodes.self])
      )
    })
  )

  it.live("consider a disconnected node dead after eight seconds, and it considers no node dead", () =>
    Effect.gen(function* () {
      const server = yield* NatsServer.make()
      const proxy = yield* TcpProxy.make(server.port)
      const one = yield* ClusterNode.start({ nats: ClusterNode.options(server.url, "cut"), ...real })
      const two = yield* ClusterNode.start({
        nats: ClusterNode.options(`nats://127.0.0.1:${proxy.port}`, "cut"),
        ...real
      })
      const both = [one.nodes.self, two.nodes.self]
      yield* ClusterNode.untilLive(one, both)
      const seen = yield* ClusterNode.history(two)

      const began = performance.now()
      yield* proxy.cut("blackhole")
      yield* ClusterNode.untilLive(one, [one.nodes.self])
      const took = performance.now() - began
      // Its last heartbeat may be two seconds old, and is missed at the other node's next one.
      assert.isAtLeast(took, 6_000)
      assert.isAtMost(took, 14_000)
      assert.isFalse(one.nodes.isAlive(two.nodes.self))
      yield* ClusterNode.until(
        Effect.sync(() => two.logged.some((line) => line.includes("had no heartbeat of this node")))
      )
      assert.isTrue(two.nodes.isAlive("node_unknown"))

      yield* proxy.heal
      yield* ClusterNode.untilLive(one, both)
      yield* hearsAgain(two)
      for (const live of seen) assert.deepStrictEqual(live, [...both].sort())
      assert.lengthOf(
        two.logged.filter((line) => line.includes("had no heartbeat of this node")),
        1
      )
    })
  )

  it.live("consider no node dead because the servers were unavailable", () =>
    Effect.gen(function* () {
      const server = yield* NatsServer.make()
      const nats = ClusterNode.options(server.url, "away")
      const one = yield* ClusterNode.start({ nats })
      const two = yield* ClusterNode.start({ nats })
      const both = [one.nodes.self, two.nodes.self]
      yield* ClusterNode.untilLive(one, both)
      const histories = yield* Effect.forEach([one, two], ClusterNode.history)

      // It returns without the bucket, which was in memory.
      yield* server.kill
      yield* ClusterNode.until(Effect.sync(() => one.nats.downMs() > 2 * ClusterNode.quick.deadMs))
      yield* server.restart
      yield* Effect.forEach([one, two], hearsAgain)
      const three = yield* ClusterNode.start({ nats })
      yield* Effect.forEach([one, two, three], (node) =>
        ClusterNode.untilLive(node, [...both, three.nodes.self])
      )
      for (const live of histories.flat()) assert.includeMembers([...live], both)
    })
  )

  it.live("are ready when they know the live nodes", () =>
    Effect.gen(function* () {
      const server = yield* NatsServer.make()
      const nats = ClusterNode.options(server.url, "ready")
      const one = yield* ClusterNode.start({ nats, ...real })
      const layer = NatsNodes.layer.pipe(Layer.provide(Nats.layer(nats)))
      const live = yield* Effect.provide(
        Effect.map(Nodes, (nodes) => nodes.live()),
        layer
      )
      assert.include(live, one.nodes.self)
      assert.lengthOf(live, 2)
    })
  )

  it.live("see each other at once after the server returns without its data", () =>
    Effect.gen(function* () {
      const server = yield* NatsServer.make()
      const nats = ClusterNode.options(server.url, "anew")
      // So rare that the silence is not detected.
      const one = yield* ClusterNode.start({ nats, nodes: seldom })
      yield* server.restart
      const two = yield* ClusterNode.start({ nats, nodes: seldom })
      yield* Effect.forEach([one, two], (node) =>
        ClusterNode.untilLive(node, [one.nodes.self, two.nodes.self])
      ).pipe(Effect.timeout("10 seconds"))
    })
  )

  it.live("see each other again after the bucket was deleted", () =>
    Effect.gen(function* () {
      const server = yield* NatsServer.make()
      const nats = ClusterNode.options(server.url, "deleted")
      const one = yield* ClusterNode.start({ nats })
      const two = yield* ClusterNode.start({ nats })
      yield* ClusterNode.untilLive(one, [one.nodes.self, two.nodes.self])

      yield* Effect.promise(() => one.nats.jsm.streams.delete(`KV_${names(nats).nodes}`))
      yield* ClusterNode.until(Effect.sync(() => one.nodes.isAlive("node_unknown")))
      yield* hearsAgain(one)
      yield* two.stop
      yield* ClusterNode.untilLive(one, [one.nodes.self])
    })
  )

  it.live("consider a paused node dead, and it considers no node dead when it resumes", () =>
    Effect.gen(function* () {
      const server = yield* NatsServer.make()
      const one = yield* ClusterNode.start({ nats: ClusterNode.options(server.url, "held") })
      const two = yield* NodeProcess.start({ url: server.url, prefix: "held" })
      yield* ClusterNode.untilLive(one, [one.nodes.self, two.name])

      yield* two.pause
      yield* ClusterNode.untilLive(one, [one.nodes.self])
      yield* two.resume
      yield* ClusterNode.untilLive(one, [one.nodes.self, two.name])
      // A third one shows that it receives again, and has received everything it missed.
      const three = yield* ClusterNode.start({ nats: ClusterNode.options(server.url, "held") })
      yield* ClusterNode.until(Effect.sync(() => two.seen().some((live) => live.includes(three.nodes.self))))
      for (const live of two.seen()) assert.include(live, one.nodes.self)

      yield* two.kill
      yield* ClusterNode.untilLive(one, [one.nodes.self, three.nodes.self])
    })
  )

  it.live("consider no node dead when the leader of a cluster dies", () =>
    Effect.gen(function* () {
      const cluster = yield* NatsCluster.make()
      const nats = ClusterNode.options(cluster.url, "leader", "&replicas=3")
      const nodes = { beatMs: 500, deadMs: 3_000, ttlMs: 5_000 }
      const start = ClusterNode.start({ nats, nodes })
      const started = yield* Effect.all([start, start, start], { concurrency: "unbounded" })
      const all = started.map(({ nodes }) => nodes.self)
      yield* Effect.forEach(started, (node) => ClusterNode.untilLive(node, all))
      const histories = yield* Effect.forEach(started, ClusterNode.history)

      const [one, two, three] = started
      const { cluster: placed } = yield* Effect.promise(() =>
        one.nats.jsm.streams.info(`KV_${names(nats).nodes}`)
      )
      yield* cluster.named(placed?.leader ?? "").kill
      const four = yield* start
      yield* Effect.forEach(started, (node) => ClusterNode.untilLive(node, [...all, four.nodes.self]))
      for (const live of histories.flat()) assert.includeMembers([...live], all)

      yield* four.stop
      yield* two.stop
      yield* Effect.forEach([one, three], (node) =>
        ClusterNode.untilLive(node, [one.nodes.self, three.nodes.self])
      )
    })
  )
})
