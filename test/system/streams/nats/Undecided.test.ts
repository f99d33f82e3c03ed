/** A server reports a repeated message as stored even while the first one is undecided and may be lost. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as NatsOptions from "#streams/nats/NatsOptions.ts"
import * as StreamName from "#streams/StreamName.ts"
import { eventData } from "#test/support/EventFixtures.ts"
import * as NatsBinary from "#test/support/servers/NatsBinary.ts"
import * as NatsCluster from "#test/support/servers/NatsCluster.ts"
import * as StreamLeader from "#test/support/servers/StreamLeader.ts"
import * as NatsLog from "#test/support/streams/nats/NatsLog.ts"

describe.skipIf(NatsBinary.isMissing)(NatsBinary.named("A leader without the others"), () => {
  it.live(
    "does not acknowledge a repeated append",
    () =>
      Effect.gen(function* () {
        const cluster = yield* NatsCluster.make()
        const options = NatsLog.options(cluster.url, "&replicas=3")
        yield* NatsLog.openNode(options)
        const leader = yield* StreamLeader.of(cluster, NatsOptions.names(options).events.stream)
        const node = yield* NatsLog.openNode({ ...options, servers: [`127.0.0.1:${leader.port}`] })
        const { append, read, settled } = Context.get(node, EventStore)

        const others = cluster.servers.filter((server) => server !== leader)
        yield* Effect.forEach(others, ({ pause }) => pause)
        const stream = StreamName.make("Test", "undecided")
        const errorAnswer = yield* Effect.flip(
          append({ stream, expected: ExpectedVersion.NoStream, events: [eventData("one")] })
        )
        assert.strictEqual(errorAnswer._tag, "EventStoreError")

        // An unacknowledged event is on the log afterwards or not, and that does not change.
        yield* Effect.forEach(others, ({ resume }) => resume)
        yield* settled(stream)
        const found = yield* read(stream)
        yield* append({
          stream,
          expected: ExpectedVersion.fromVersion(found.at(-1)?.version ?? null),
          events: [eventData("two")]
        })
        const all = yield* read(stream)
        assert.deepStrictEqual(
          all.map(({ id }) => id),
          [...found.map(({ id }) => id), "two"]
        )
      }),
    60_000
  )
})
