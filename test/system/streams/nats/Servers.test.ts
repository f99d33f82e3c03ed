/** Tests of the test servers: NATS servers that are started, killed, paused and cut off. */
import { jetstream, jetstreamManager, type PubAck } from "@nats-io/jetstream"
import type { NatsConnection as Connection } from "@nats-io/transport-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as NatsBinary from "#test/support/servers/NatsBinary.ts"
import * as NatsCluster from "#test/support/servers/NatsCluster.ts"
import * as NatsConnection from "#test/support/servers/NatsConnection.ts"
import * as NatsServer from "#test/support/servers/NatsServer.ts"
import * as TcpProxy from "#test/support/servers/TcpProxy.ts"
import * as Until from "#test/support/Until.ts"

const stream = "LOG"

const streamsOf = (connection: Connection) =>
  Effect.promise(async () => {
    const options = { timeout: NatsConnection.patienceMs, checkAPI: false }
    return (await jetstreamManager(connection, options)).streams
  })

/**
 * Repeats the call, because the first election may take longer than its timeout and leave the stream without a
 * leader.
 */
const makeStream = Effect.fnUntraced(function* (connection: Connection, replicas = 1) {
  const streams = yield* streamsOf(connection)
  const configuration = { name: stream, subjects: ["log.>"], num_replicas: replicas }
  return yield* Until.answers(async () => {
    const { cluster } = await streams.add(configuration)
    if (replicas > 1 && !cluster?.leader) throw new Error("The stream has no leader yet")
    return cluster
  }, Until.processes)
})

/** Repeats the message with the same id until it is stored, as an append does. */
const publish = (connection: Connection, id: string): Effect.Effect<PubAck> =>
  Until.answers(() => {
    const client = jetstream(connection, { timeout: NatsConnection.patienceMs })
    return client.publish("log.one", id, { msgID: id })
  }, Until.processes)

const stored = Effect.fnUntraced(function* (connection: Connection) {
  const streams = yield* streamsOf(connection)
  return yield* Until.answers(async () => (await streams.info(stream)).state.messages, Until.processes)
})

describe.skipIf(NatsBinary.isMissing)(NatsBinary.named("NatsServer"), () => {
  it.effect("has every acknowledged message after a kill and a restart", () =>
    Effect.gen(function* () {
      const server = yield* NatsServer.make()
      const connection = yield* NatsConnection.scoped([server.url])
      yield* makeStream(connection)
      yield* publish(connection, "before")
      const { pid } = server

      yield* server.kill
      yield* server.restart

      assert.notStrictEqual(server.pid, pid)
      yield* publish(connection, "after")
      assert.strictEqual(yield* stored(connection), 2)
    })
  )

  it.effect("answers nothing while it is paused, and everything afterwards", () =>
    Effect.gen(function* () {
      const server = yield* NatsServer.make({ syncInterval: "2m" })
      const connection = yield* NatsConnection.scoped([server.url])
      yield* makeStream(connection)

      yield* server.pause
      const client = jetstream(connection, { timeout: NatsConnection.patienceMs })
      const refused = yield* Effect.promise(() => client.publish("log.one", "held").catch(String))
      assert.match(String(refused), /timeout/i)

      yield* server.resume
      yield* publish(connection, "after")
      assert.strictEqual(yield* stored(connection), 2)
    })
  )

  it.effect("ends with its scope, paused or not", () =>
    Effect.gen(function* () {
      const server = yield* Effect.scoped(Effect.tap(NatsServer.make(), ({ pause }) => pause))
      assert.throws(() => process.kill(server.pid, 0), "ESRCH")
    })
  )

  it.effect("stops gracefully although it is paused", () =>
    Effect.gen(function* () {
      const server = yield* NatsServer.make()
      yield* server.pause
      yield* server.stop
      assert.include(server.output(), "Server Exiting")
    })
  )
})

describe.skipIf(NatsBinary.isMissing)(NatsBinary.named("NatsCluster"), () => {
  it.effect("has every acknowledged message, and accepts more, after its leader is killed", () =>
    Effect.gen(function* () {
      const cluster = yield* NatsCluster.make()
      const connection = yield* NatsConnection.scoped(cluster.servers.map(({ url }) => url))
      const placed = yield* makeStream(connection, 3)
      assert.strictEqual(placed?.replicas?.length, 2)
      yield* publish(connection, "before")

      const leader = cluster.named(placed?.leader ?? "")
      yield* leader.kill
      yield* publish(connection, "after")
      assert.strictEqual(yield* stored(connection), 2)

      yield* leader.restart
      yield* cluster.ready
    })
  )
})

describe.skipIf(NatsBinary.isMissing)(NatsBinary.named("TcpProxy"), () => {
  it.effect.each(["refuse", "blackhole"] as const)("lets nothing through until it heals: %s", (how) =>
    Effect.gen(function* () {
      const server = yield* NatsServer.make()
      const proxy = yield* TcpProxy.make(server.port)
      const far = yield* NatsConnection.scoped([`nats://127.0.0.1:${proxy.port}`])
      const near = yield* NatsConnection.scoped([server.url])
      yield* makeStream(near)
      yield* publish(far, "before")

      yield* proxy.cut(how)
      const client = jetstream(far, { timeout: NatsConnection.patienceMs })
      const refused = yield* Effect.promise(() => client.publish("log.one", "cut").catch(() => "refused"))
      assert.strictEqual(refused, "refused")
      assert.strictEqual(far.isClosed(), false)
      assert.strictEqual(yield* stored(near), 1)

      yield* proxy.heal
      yield* publish(far, "after")
      // A client that noticed the cut has queued what it could not send.
      assert.isAtLeast(yield* stored(near), 2)
    })
  )
})
