/** One server that is killed or hangs while nodes use it. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Stream } from "effect"
import { EventStoreError } from "#streams/EventReader.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as StreamName from "#streams/StreamName.ts"
import { eventData } from "#test/support/EventFixtures.ts"
import * as NatsBinary from "#test/support/servers/NatsBinary.ts"
import * as NatsServer from "#test/support/servers/NatsServer.ts"
import * as NatsLog from "#test/support/streams/nats/NatsLog.ts"
import * as RacingWriters from "#test/support/streams/nats/RacingWriters.ts"

const append = (store: EventStore["Service"], id: string) =>
  store.append({
    stream: StreamName.make("Thing", id),
    expected: ExpectedVersion.Any,
    events: [eventData(id)]
  })

const isAbsent = { _tag: "EventStoreError", isAbsent: true } as const

describe.skipIf(NatsBinary.isMissing).concurrent(NatsBinary.named("A log whose server is killed"), () => {
  it.live("has every acknowledged append once, and continues by itself, also for followers", () =>
    Effect.gen(function* () {
      const server = yield* NatsServer.make()
      const options = NatsLog.options(server.url)
      const [one, two] = yield* Effect.all([NatsLog.openNode(options), NatsLog.openNode(options)])
      const writers = RacingWriters.make([one, two], 8)
      yield* writers.write(10)
      const started = writers.acknowledged.length
      const changed = yield* Effect.forkChild(
        Context.get(two, EventStore).changes.pipe(
          Stream.filter((position) => GlobalPosition.sequence(position) > 2 * 8 * 10),
          Stream.runHead
        )
      )
      const followers = yield* Effect.forEach([one, two], (node) =>
        Effect.forkChild(RacingWriters.followIds(node, started * 3))
      )

      for (let life = 0; life < 2; life++) {
        const writing = yield* Effect.forkChild(writers.write(10))
        yield* RacingWriters.followIds(one, started * (life + 1) + 40)
        yield* server.kill
        yield* server.restart
        yield* Fiber.join(writing)
      }

      const ids = yield* writers.check(one)
      assert.isAtLeast(writers.acknowledged.length, started * 3)
      for (const follower of followers) {
        assert.deepStrictEqual(yield* Fiber.join(follower), ids.slice(0, started * 3))
      }
      assert.strictEqual((yield* Fiber.join(changed))._tag, "Some")
    }).pipe(Effect.scoped)
  )

  it.live("rejects at once while it is down, and knows its position", () =>
    Effect.gen(function* () {
      const server = yield* NatsServer.make()
      const node = yield* NatsLog.openNode(NatsLog.options(server.url))
      const store = Context.get(node, EventStore)
      const { position } = yield* append(store, "before")
      yield* server.kill
      // Waits until the time for a reconnection is over.
      assert.deepInclude(yield* Effect.flip(append(store, "first")), isAbsent)

      const began = performance.now()
      assert.deepInclude(yield* Effect.flip(append(store, "second")), isAbsent)
      assert.instanceOf(yield* Effect.flip(store.read(StreamName.make("Thing", "before"))), EventStoreError)
      assert.strictEqual(yield* store.head, position)
      assert.isBelow(performance.now() - began, 500)

      yield* server.restart
      yield* Effect.retry(append(store, "after"), { times: 100 })
      const ids = (yield* Stream.runCollect(store.readAll(GlobalPosition.beginning))).map(({ id }) => id)
      assert.deepStrictEqual(ids, ["before", "after"])
    }).pipe(Effect.scoped)
  )

  it.live("closes quickly although its server hangs", () =>
    Effect.gen(function* () {
      const server = yield* NatsServer.make()
      yield* Effect.scoped(
        Effect.gen(function* () {
          const node = yield* NatsLog.openNode(NatsLog.options(server.url))
          yield* append(Context.get(node, EventStore), "before")
          yield* server.pause
        })
      ).pipe(Effect.timeout("8 seconds"))
    }).pipe(Effect.scoped)
  )
})
