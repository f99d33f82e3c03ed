/**
 * Reads a long log from its beginning and from its middle: in order, in little memory, leaving nothing at the server.
 */
import { jetstream, jetstreamManager } from "@nats-io/jetstream"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Stream } from "effect"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as AppendMessage from "#streams/nats/AppendMessage.ts"
import * as NatsOptions from "#streams/nats/NatsOptions.ts"
import * as NatsStreams from "#streams/nats/NatsStreams.ts"
import { Nats } from "#streams/nats/Nats.ts"
import * as Subjects from "#streams/nats/Subjects.ts"
import * as StreamName from "#streams/StreamName.ts"
import { many } from "#test/support/EventFixtures.ts"
import * as NatsBinary from "#test/support/servers/NatsBinary.ts"
import * as NatsConnection from "#test/support/servers/NatsConnection.ts"
import * as NatsServer from "#test/support/servers/NatsServer.ts"
import * as Until from "#test/support/Until.ts"
import * as NatsLog from "#test/support/streams/nats/NatsLog.ts"

const messages = 40_000
const eventsEach = 5

/** Written as a node would, without waiting for each: 200 streams in turn. */
const fill = Effect.fnUntraced(function* (options: NatsOptions.NatsOptions) {
  yield* Effect.provide(NatsStreams.ensure, Nats.layer(options))
  const subjects = Subjects.make(options)
  const tails = new Map<number, AppendMessage.Tail>()
  yield* Effect.promise(() =>
    NatsConnection.briefly(options.servers, async (connection) => {
      const client = jetstream(connection, { timeout: 10_000 })
      for (let first = 0; first < messages; first += 500) {
        await Promise.all(
          Array.from({ length: 500 }, (_, index) => {
            const sequence = first + index + 1
            const stream = StreamName.make("Thing", String(sequence % 200))
            const events = many(`${sequence}.`, eventsEach)
            const tail = tails.get(sequence % 200) ?? AppendMessage.noTail
            const { body, hash, ordinal } = AppendMessage.encode(
              stream,
              tail,
              events,
              events.map(() => "{}")
            )
            tails.set(sequence % 200, { subjectSequence: sequence, version: sequence, ordinal, hash })
            return client.publish(subjects.events(stream), body)
          })
        )
      }
    })
  )
})

describe.skipIf(NatsBinary.isMissing)(NatsBinary.named("A long log on JetStream"), () => {
  it.live(
    "is read in order from any event, in little memory, without leaving consumers behind",
    () =>
      Effect.gen(function* () {
        const server = yield* NatsServer.make({ syncInterval: "2m" })
        const options = NatsLog.options(server.url)
        yield* fill(options)
        const node = yield* NatsLog.openNode(options)
        const { append, read, readAll } = Context.get(node, EventStore)

        let count = 0
        let heap = 0
        const before = process.memoryUsage().heapUsed
        yield* readAll(GlobalPosition.beginning).pipe(
          Stream.runForEachArray((events) =>
            Effect.sync(() => {
              for (const { id } of events) {
                assert.strictEqual(id, `${Math.floor(count / eventsEach) + 1}.${count % eventsEach}`)
                count++
              }
              heap = Math.max(heap, process.memoryUsage().heapUsed - before)
            })
          )
        )
        assert.strictEqual(count, messages * eventsEach)
        assert.isBelow(heap, 150 * 1024 * 1024)

        // From within a message, and from the end of a page.
        for (const [sequence, index] of [
          [20_000, 2],
          [2_000, 4],
          [2_001, 0],
          [39_999, 4]
        ] as const) {
          const after = AppendMessage.position(sequence, index)
          const next = yield* readAll(after).pipe(Stream.take(7), Stream.runCollect)
          const place = (sequence - 1) * eventsEach + index + 1
          const left = messages * eventsEach - place
          assert.deepStrictEqual(
            next.map(({ id }) => id),
            Array.from({ length: Math.min(7, left) }, (_, step) => place + step).map(
              (place) => `${Math.floor(place / eventsEach) + 1}.${place % eventsEach}`
            )
          )
        }

        const long = StreamName.make("Thing", "7")
        const ordinals = (yield* read(long)).map(({ ordinal }) => ordinal)
        assert.deepStrictEqual(
          ordinals,
          ordinals.map((_, index) => index)
        )
        assert.lengthOf(ordinals, (messages / 200) * eventsEach)
        yield* append({ stream: long, expected: ExpectedVersion.Any, events: many("last", 1) })

        // The follower's consumer stays.
        yield* Until.answers(
          () =>
            NatsConnection.briefly([server.url], async (connection) => {
              const { streams } = await jetstreamManager(connection)
              const { state } = await streams.info(NatsOptions.names(options).events.stream)
              assert.isAtMost(state.consumer_count, 1 + 4)
            }),
          Until.processes
        )
      }).pipe(Effect.scoped),
    60_000
  )
})
