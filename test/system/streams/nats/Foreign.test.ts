/** Messages that are no appends, and appends that are too large. */
import { jetstream } from "@nats-io/jetstream"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Scope, Stream } from "effect"
import { EventStore } from "#streams/EventStore.ts"
import { EventStoreError } from "#streams/EventReader.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as Subjects from "#streams/nats/Subjects.ts"
import * as StreamName from "#streams/StreamName.ts"
import { eventData, inlinePayload } from "#test/support/EventFixtures.ts"
import * as NatsBinary from "#test/support/servers/NatsBinary.ts"
import * as NatsConnection from "#test/support/servers/NatsConnection.ts"
import * as NatsServer from "#test/support/servers/NatsServer.ts"
import * as NatsLog from "#test/support/streams/nats/NatsLog.ts"
import * as RacingWriters from "#test/support/streams/nats/RacingWriters.ts"

const scope = Scope.makeUnsafe()
let url = ""
const stream = StreamName.make("Thing", "a")

describe.skipIf(NatsBinary.isMissing)(NatsBinary.named("A log on JetStream"), () => {
  beforeAll(async () => {
    url = (await Effect.runPromise(Scope.provide(NatsServer.make({ syncInterval: "2m" }), scope))).url
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  it.live.each(["", "text", "[]", '[0,-1,"",[["id","T",1,"h"]]]', "[1,2,3]"])(
    "passes over what others publish into its stream: '%s'",
    (text) =>
      Effect.gen(function* () {
        const options = NatsLog.options(url)
        const node = yield* NatsLog.openNode(options)
        const store = Context.get(node, EventStore)
        const publish = Effect.promise(() =>
          NatsConnection.briefly([url], (connection) =>
            jetstream(connection).publish(Subjects.make(options).events(stream), text)
          )
        )
        const append = (id: string, expected: ExpectedVersion.ExpectedVersion) =>
          store.append({ stream, expected, events: [eventData(id)] })

        yield* publish
        yield* append("a", ExpectedVersion.NoStream)
        yield* publish
        yield* publish
        const [first] = yield* store.read(stream)
        yield* append("b", ExpectedVersion.exactly(first?.version ?? ExpectedVersion.trustedVersion("0")))
        yield* publish
        yield* append("c", ExpectedVersion.Any)
        yield* publish

        for (const each of [node, yield* NatsLog.openNode(options)]) {
          const { read, readAll } = Context.get(each, EventStore)
          const all = yield* Stream.runCollect(readAll(GlobalPosition.beginning))
          assert.deepStrictEqual(
            all.map(({ id }) => id),
            ["a", "b", "c"]
          )
          assert.deepStrictEqual(
            (yield* read(stream)).map(({ id }) => id),
            ["a", "b", "c"]
          )
          assert.deepStrictEqual(yield* RacingWriters.followIds(each, 3), ["a", "b", "c"])
          yield* NatsLog.verify(each)
        }
      }).pipe(Effect.scoped)
  )

  it.live("rejects at once an append that is too large for the servers, and leaves nothing of it", () =>
    Effect.gen(function* () {
      const store = Context.get(yield* NatsLog.openNode(NatsLog.options(url)), EventStore)
      const append = (bytes: number) =>
        store.append({
          stream,
          expected: ExpectedVersion.NoStream,
          events: [eventData("large", "Happened", { text: "x".repeat(bytes) })],
          payloads: [inlinePayload("input", "beside")]
        })
      const error = yield* Effect.flip(append(1024 * 1024))
      assert.instanceOf(error, EventStoreError)
      assert.match(error.message, /its \d+ bytes exceed the servers' max_payload of 1048576/)
      assert.isNull(yield* store.payload(stream, "input"))
      yield* append(1000 * 1024)
      assert.lengthOf(yield* store.read(stream), 1)
    }).pipe(Effect.scoped)
  )
})
