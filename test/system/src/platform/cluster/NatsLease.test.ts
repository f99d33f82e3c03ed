import { Kvm } from "@nats-io/kv"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { names } from "#streams/nats/NatsOptions.ts"
import * as NatsBinary from "#test/support/servers/NatsBinary.ts"
import * as NatsServer from "#test/support/servers/NatsServer.ts"
import * as TcpProxy from "#test/support/servers/TcpProxy.ts"
import * as ClusterNode from "#test/support/src/platform/cluster/ClusterNode.ts"

const holders = (nodes: ReadonlyArray<ClusterNode.ClusterNode>) =>
  Effect.map(
    Effect.forEach(nodes, (node) => node.lease.isHeld),
    (held) => nodes.filter((_, index) => held[index]).map(({ nodes }) => nodes.self)
  )

const untilHeld = ({ lease }: ClusterNode.ClusterNode) => ClusterNode.until(lease.isHeld)

/** The holders of the lease, polled from now on until the scope ends. */
const watched = Effect.fnUntraced(function* (nodes: ReadonlyArray<ClusterNode.ClusterNode>) {
  const seen: Array<ReadonlyArray<string>> = []
  yield* holders(nodes).pipe(
    Effect.map((holders) => void seen.push(holders)),
    Effect.repeat(Schedule.spaced("5 millis")),
    Effect.forkScoped
  )
  return seen
})

const heldByOneAtMost = (seen: ReadonlyArray<ReadonlyArray<string>>) => {
  for (const holders of seen) assert.isAtMost(holders.length, 1)
}

/** The bucket, and the revision of the lease in it. */
const observe = Effect.fnUntraced(function* ({ nats }: ClusterNode.ClusterNode) {
  const kv = yield* Effect.promise(() =>
    new Kvm(nats.connection).open(names(nats.options).leases, { allow_direct: false })
  )
  const revision = Effect.promise(async () => (await kv.get("sweeper"))?.revision ?? 0)
  return { kv, revision }
})

describe.skipIf(NatsBinary.isMissing)(NatsBinary.named("NatsLease"), { concurrent: true }, () => {
  it.live("is held by one of the nodes, and passes on at once when that one stops gracefully", () =>
    Effect.gen(function* () {
      const server = yield* NatsServer.make()
      const nats = ClusterNode.options(server.url, "passes")
      // So long that no node gets it because it was dropped.
      const lease = { ...ClusterNode.quickLease, ttlMs: 60_000 }
      const one = yield* ClusterNode.start({ nats, lease })
      yield* untilHeld(one)
      const two = yield* ClusterNode.start({ nats, lease })
      const three = yield* ClusterNode.start({ nats, lease })
      const seen = yield* watched([one, two, three])
      yield* ClusterNode.until(Effect.sync(() => seen.length > 20))
      assert.deepStrictEqual(yield* holders([one, two, three]), [one.nodes.self])

      yield* one.stop
      yield* ClusterNode.until(Effect.map(holders([two, three]), ({ length }) => length === 1))
      heldByOneAtMost(seen)
    })
  )

  it.live("passes on from a disconnected holder, which has given it up before", () =>
    Effect.gen(function* () {
      const server = yield* NatsServer.make()
      const proxy = yield* TcpProxy.make(server.port)
      const one = yield* ClusterNode.start({
        nats: ClusterNode.options(`nats://127.0.0.1:${proxy.port}`, "cut")
      })
      yield* untilHeld(one)
      const two = yield* ClusterNode.start({ nats: ClusterNode.options(server.url, "cut") })
      const seen = yield* watched([one, two])

      yield* proxy.cut("blackhole")
      yield* untilHeld(two)
      heldByOneAtMost(seen)

      // A returning node finds it taken.
      yield* proxy.heal
      yield* ClusterNode.until(Effect.sync(one.nats.isUp))
      yield* two.stop
      yield* untilHeld(one)
      heldByOneAtMost(seen)
    })
  )

  it.live("stays with a holder whose renewal reached the servers without a timely answer", () =>
    Effect.gen(function* () {
      const server = yield* NatsServer.make()
      const nats = ClusterNode.options(server.url, "late")
      const lease = { renewMs: 300, heldMs: 6_000, ttlMs: 8_000 }
      // Its heartbeats take longer to time out.
      const one = yield* ClusterNode.start({ nats, lease, nodes: {} })
      yield* untilHeld(one)
      const seen = yield* watched([one])
      const { kv, revision } = yield* observe(one)

      // With the renewal in transit, so that it arrives after it was given up.
      yield* server.pause
      yield* ClusterNode.until(Effect.sync(() => one.logged.some((line) => /timeout/i.test(line))))
      yield* server.resume
      const before = yield* revision
      yield* ClusterNode.until(Effect.map(revision, (now) => now > before + 1))
      const entry = yield* Effect.promise(() => kv.get("sweeper"))
      assert.strictEqual(entry?.string(), one.nodes.self)
      for (const holders of seen) assert.deepStrictEqual(holders, [one.nodes.self])
    })
  )

  it.live("is lost to another node that has it, and acquired again when that one is gone", () =>
    Effect.gen(function* () {
      const server = yield* NatsServer.make()
      const nats = ClusterNode.options(server.url, "taken")
      // It is notified and does not wait for a failed renewal.
      const one = yield* ClusterNode.start({ nats, lease: { ...ClusterNode.quickLease, heldMs: 60_000 } })
      yield* untilHeld(one)
      const { kv } = yield* observe(one)

      yield* Effect.promise(() => kv.put("sweeper", "node_other"))
      yield* ClusterNode.until(Effect.map(one.lease.isHeld, (isHeld) => !isHeld))
      yield* untilHeld(one)
    })
  )

  it.live("is acquired again after the servers have lost the bucket", () =>
    Effect.gen(function* () {
      const server = yield* NatsServer.make()
      const nats = ClusterNode.options(server.url, "lost", "&storage=memory")
      const one = yield* ClusterNode.start({ nats })
      yield* untilHeld(one)
      const { kv } = yield* observe(one)

      yield* server.restart
      const holder = Effect.promise(() => kv.get("sweeper").catch(() => null))
      yield* ClusterNode.until(Effect.map(holder, (entry) => entry?.string() === one.nodes.self))
      yield* untilHeld(one)
    })
  )
})
