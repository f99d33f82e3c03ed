import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer } from "effect"
import * as Actors from "#streams/Actors.ts"
import type * as LiveActors from "#streams/LiveActors.ts"
import { EventStoreError } from "#streams/EventReader.ts"
import { EventStore } from "#streams/EventStore.ts"
import { IdGenerator } from "#streams/IdGenerator.ts"
import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Counter from "#test/support/streams/Counter.ts"

const stream = (id: string) => StreamName.make("Counter", id)

/** One node: its own actors over the log of the test. */
const node = (options?: LiveActors.ActorsOptions) => Actors.make(Counter.aggregate, options)

/** A node that counts its reads of the log by stream. */
const watchedNode = Effect.fnUntraced(function* (options?: LiveActors.ActorsOptions) {
  const store = yield* EventStore
  const read: Array<string> = []
  const watched = EventStore.of({
    ...store,
    read: (stream, after) => {
      read.push(StreamName.idOf(stream))
      return store.read(stream, after)
    }
  })
  return { actors: yield* Effect.provideService(node(options), EventStore, watched), read }
})

const concurrently = <A, E>(count: number, effect: (index: number) => Effect.Effect<A, E>) =>
  Effect.forEach(Array.from({ length: count }).keys(), effect, { concurrency: "unbounded" })

/** The totals in the stream's events, oldest first. */
const totals = (id: string) =>
  Effect.flatMap(EventStore, (store) =>
    Effect.map(store.read(stream(id)), (events) => events.map(({ data }) => data["total"]))
  )

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

const actorsOn = (backend: string, log: Layer.Layer<EventStore, unknown>) => {
  const layer = Layer.merge(log, IdGenerator.layer)
  const test = (name: string, body: Effect.Effect<void, unknown, EventStore | IdGenerator>) =>
    it.live(name, () => Effect.provide(body, layer))

  describe(`Actors on ${backend}`, () => {
    test(
      "decide each of many concurrent commands on the state after the previous one",
      Effect.gen(function* () {
        const actors = yield* node()
        yield* concurrently(100, () => actors.execute("a", Counter.raise()))
        assert.deepStrictEqual(yield* totals("a"), upTo(100))
        assert.strictEqual((yield* actors.current("a")).state.total, 100)
      })
    )

    test(
      "call back the sender of each command once, with its own result",
      Effect.gen(function* () {
        const actors = yield* node()
        const exits: Array<Exit.Exit<{ readonly state: Counter.State }, unknown>> = []
        const done = yield* Deferred.make<void>()
        const send = (by: number) =>
          actors.send("a", Counter.raise(by), [], (exit) => {
            exits.push(exit)
            if (exits.length === 3) Deferred.doneUnsafe(done, Effect.void)
          })
        for (const by of [1, 2, 1_000]) send(by)
        yield* Deferred.await(done)
        assert.deepStrictEqual(
          exits.map((exit) => (Exit.isSuccess(exit) ? exit.value.state.total : "refused")),
          [1, 3, "refused"]
        )
        assert.deepStrictEqual(yield* totals("a"), [1, 3])
      })
    )

    test(
      "send a command to a new stream without a read of the log, and decide again if the stream exists",
      Effect.gen(function* () {
        const sendNew = (actors: Actors.Actors<Counter.State, Counter.Command, Counter.Event, unknown>) =>
          Effect.callback<number, unknown>((resume) =>
            actors.sendNew("a", Counter.raise(2), [], (exit) =>
              resume(Exit.map(exit, ({ state }) => state.total))
            )
          )
        const first = yield* watchedNode()
        assert.strictEqual(yield* sendNew(first.actors), 2)
        assert.deepStrictEqual(first.read, [])
        const second = yield* watchedNode()
        assert.strictEqual(yield* sendNew(second.actors), 4)
        assert.deepStrictEqual(yield* totals("a"), [2, 4])
      })
    )

    test(
      "return the events, the state after them and their position",
      Effect.gen(function* () {
        const actors = yield* node()
        const { head } = yield* EventStore
        const executed = yield* actors.execute("a", Counter.raise(3))
        assert.deepStrictEqual(executed.events, [{ _tag: "Raised", at: 1, by: 3, total: 3 }])
        assert.deepStrictEqual(executed.state, { total: 3 })
        assert.strictEqual(executed.position, yield* head)
        const nothing = yield* actors.execute("a", Counter.raise(0))
        assert.deepStrictEqual(nothing, { ...executed, events: [], position: null })
      })
    )

    test(
      "on two racing nodes catch up and decide again, without losses",
      Effect.gen(function* () {
        const nodes = [yield* node(), yield* node()]
        yield* concurrently(2, (which) =>
          concurrently(50, () => nodes[which]?.execute("a", Counter.raise()) ?? Effect.void)
        )
        assert.deepStrictEqual(yield* totals("a"), upTo(100))
        for (const actors of nodes) assert.strictEqual((yield* actors.refresh("a")).state.total, 100)
      })
    )

    test(
      "reject a command after a conflict if the other node's append leaves no room for it",
      Effect.gen(function* () {
        const [one, other] = [yield* node(), yield* node()]
        yield* one.execute("a", Counter.raise(1))
        yield* other.execute("a", Counter.raise(99))
        assert.strictEqual((yield* one.current("a")).state.total, 1)
        assert.deepStrictEqual(yield* Effect.flip(one.execute("a", Counter.raise(1))), { _tag: "PastLimit" })
        assert.strictEqual((yield* one.current("a")).state.total, 100)
        assert.deepStrictEqual(yield* totals("a"), [1, 100])
      })
    )

    test(
      "start a stream without reading it, and handle an existing one as if they had read it",
      Effect.gen(function* () {
        const { actors, read } = yield* watchedNode()
        assert.strictEqual((yield* actors.create("new", Counter.raise(2))).state.total, 2)
        assert.deepStrictEqual(read, [])
        yield* (yield* node()).execute("old", Counter.raise(2))
        assert.strictEqual((yield* actors.create("old", Counter.raise(3))).state.total, 5)
        assert.deepStrictEqual(yield* totals("old"), [2, 5])
      })
    )

    test(
      "do not report a stream as unknown while it is created, even if the log does not answer",
      Effect.gen(function* () {
        const store = yield* EventStore
        const asked = yield* Deferred.make<void>()
        const answered = yield* Deferred.make<never, EventStoreError>()
        const slow = EventStore.of({
          ...store,
          append: () => Effect.andThen(Deferred.succeed(asked, undefined), Deferred.await(answered))
        })
        const actors = yield* Effect.provideService(node(), EventStore, slow)
        const creating = yield* Effect.forkChild(Effect.flip(actors.create("a", Counter.raise(7))))
        yield* Deferred.await(asked)
        yield* Effect.gen(function* () {
          assert.isUndefined(actors.peek("a"))
          assert.isNull((yield* actors.current("a")).version)
          // The same at another node, for a client that did not wait.
          yield* (yield* node()).create("a", Counter.raise(7))
          assert.isUndefined(actors.peek("a"))
          assert.strictEqual((yield* actors.current("a")).state.total, 7)
          assert.strictEqual(actors.peek("a")?.state.total, 7)
        }).pipe(Effect.ensuring(Deferred.fail(answered, new EventStoreError({ reason: "no answer" }))))
        assert.strictEqual((yield* Fiber.join(creating))._tag, "EventStoreError")
        assert.strictEqual((yield* actors.current("a")).state.total, 7)
      })
    )

    test(
      "see another node's events on refresh",
      Effect.gen(function* () {
        const [one, other] = [yield* node(), yield* node()]
        yield* one.current("a")
        yield* other.execute("a", Counter.raise(5))
        assert.strictEqual((yield* one.refresh("a")).state.total, 5)
        yield* other.execute("a", Counter.raise(5))
        assert.strictEqual((yield* one.refresh("a")).state.total, 10)
        assert.strictEqual((yield* one.current("a")).state.total, 10)
      })
    )

    test(
      "leave state and log unchanged when a command is rejected",
      Effect.gen(function* () {
        const actors = yield* node()
        const { version } = yield* actors.execute("a", Counter.raise(60))
        assert.deepStrictEqual(yield* Effect.flip(actors.execute("a", Counter.raise(60))), {
          _tag: "PastLimit"
        })
        assert.deepStrictEqual(yield* actors.current("a"), { state: { total: 60 }, version, length: 1 })
        assert.deepStrictEqual(yield* totals("a"), [60])
        yield* actors.execute("a", Counter.raise(40))
        assert.deepStrictEqual(yield* totals("a"), [60, 100])
      })
    )

    test(
      "stay correct with far more streams than live actors",
      Effect.gen(function* () {
        const actors = yield* node({ capacity: 3 })
        yield* concurrently(200, (index) => actors.execute(`s${index % 20}`, Counter.raise()))
        for (const index of upTo(20)) {
          assert.strictEqual((yield* actors.current(`s${index - 1}`)).state.total, 10)
          assert.deepStrictEqual(yield* totals(`s${index - 1}`), upTo(10))
        }
      })
    )

    test(
      "never append to a stream twice at a time, however many are live",
      Effect.gen(function* () {
        const store = yield* EventStore
        const underWay = new Set<string>()
        let overlaps = 0
        const watched = EventStore.of({
          ...store,
          append: (append) =>
            Effect.suspend(() => {
              if (underWay.has(append.stream)) overlaps++
              underWay.add(append.stream)
              return Effect.ensuring(
                Effect.andThen(Effect.yieldNow, store.append(append)),
                Effect.sync(() => underWay.delete(append.stream))
              )
            })
        })
        const actors = yield* Effect.provideService(node({ capacity: 1 }), EventStore, watched)
        const commands = Array.from({ length: 200 }, (_, index) => `s${(index * 7) % 10}`)
        yield* Effect.forEach(commands, (id) => actors.execute(id, Counter.raise()), { concurrency: 25 })
        assert.strictEqual(overlaps, 0)
      })
    )

    test(
      "passivate the longest idle first, and read nothing for those that live",
      Effect.gen(function* () {
        const { actors, read } = yield* watchedNode({ capacity: 2 })
        for (const id of ["a", "b", "a", "c"]) yield* actors.execute(id, Counter.raise())
        assert.deepStrictEqual(read, ["a", "b", "c"])
        yield* actors.current("a")
        yield* actors.current("c")
        assert.deepStrictEqual(read, ["a", "b", "c"])
        assert.strictEqual((yield* actors.execute("b", Counter.raise())).state.total, 2)
        assert.deepStrictEqual(read, ["a", "b", "c", "b"])
      })
    )

    test(
      "store nothing for missing streams and commands that these reject",
      Effect.gen(function* () {
        const { actors, read } = yield* watchedNode({ capacity: 1 })
        yield* actors.execute("live", Counter.raise())
        for (const index of upTo(10)) {
          const nothing = { state: { total: 0 }, version: null, length: 0 }
          assert.deepStrictEqual(yield* actors.current(`no${index}`), nothing)
          yield* Effect.flip(actors.execute(`no${index}`, Counter.raise(101)))
          yield* actors.execute(`no${index}`, Counter.raise(0))
        }
        const before = read.length
        yield* actors.current("live")
        assert.strictEqual(read.length, before)
        yield* actors.current("no1")
        assert.strictEqual(read.length, before + 1)
      })
    )

    test(
      "finish a begun command when its caller disconnects, and drop a waiting one",
      Effect.gen(function* () {
        const store = yield* EventStore
        const appending = yield* Deferred.make<void>()
        const released = yield* Deferred.make<void>()
        const slow = EventStore.of({
          ...store,
          append: (append) =>
            Deferred.succeed(appending, undefined).pipe(
              Effect.andThen(Deferred.await(released)),
              Effect.andThen(store.append(append))
            )
        })
        const actors = yield* Effect.provideService(node(), EventStore, slow)
        const begun = yield* Effect.forkChild(actors.execute("a", Counter.raise(1)))
        yield* Deferred.await(appending)
        const waiting = yield* Effect.forkChild(actors.execute("a", Counter.raise(10)))
        yield* Effect.yieldNow
        yield* Fiber.interrupt(waiting)
        const interrupting = yield* Effect.forkChild(Fiber.interrupt(begun))
        yield* Effect.yieldNow
        yield* Deferred.succeed(released, undefined)
        yield* Fiber.join(interrupting)
        assert.deepStrictEqual(yield* totals("a"), [1])
        assert.strictEqual((yield* actors.current("a")).state.total, 1)
        assert.strictEqual((yield* actors.execute("a", Counter.raise(1))).state.total, 2)
      })
    )

    test(
      "read the log again after an append with unknown fate",
      Effect.gen(function* () {
        const store = yield* EventStore
        let isAcknowledged = true
        const forgetful = EventStore.of({
          ...store,
          append: (append) =>
            Effect.flatMap(store.append(append), (appended) =>
              isAcknowledged
                ? Effect.succeed(appended)
                : Effect.fail(new EventStoreError({ reason: "no answer" }))
            )
        })
        const actors = yield* Effect.provideService(node(), EventStore, forgetful)
        yield* actors.execute("a", Counter.raise(1))
        isAcknowledged = false
        const exit = yield* Effect.exit(actors.execute("a", Counter.raise(6)))
        assert.isTrue(Exit.isFailure(exit))
        assert.strictEqual((yield* actors.current("a")).state.total, 7)
        isAcknowledged = true
        yield* actors.execute("a", Counter.raise(1))
        assert.deepStrictEqual(yield* totals("a"), [1, 7, 8])
      })
    )
  })
}

const sqlite = TempDirectory.provide(SqliteEventStore.layer)

actorsOn("memory", MemoryEventStore.layer)
actorsOn("SQLite", sqlite)

describe("Actors that read ahead", () => {
  it.live("know the states of many streams after it, and read none of them again", () =>
    Effect.gen(function* () {
      const before = yield* node()
      for (const id of ["a", "b", "a"]) yield* before.execute(id, Counter.raise(2))
      const { actors, read } = yield* watchedNode()
      yield* actors.readAhead(["a", "b", "nobody"])
      assert.deepInclude(actors.peek("a"), { state: { total: 4 }, length: 2 })
      assert.deepInclude(actors.peek("b"), { state: { total: 2 }, length: 1 })
      assert.isUndefined(actors.peek("nobody"))
      yield* actors.execute("a", Counter.raise(1))
      assert.deepStrictEqual(read, [])
      assert.deepStrictEqual(yield* totals("a"), [2, 4, 5])
    }).pipe(Effect.provide(Layer.merge(sqlite, IdGenerator.layer)))
  )

  it.live("leave a stream alone that has an actor, and decide again when a state is old", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* node(), yield* node()]
      yield* one.execute("a", Counter.raise(1))
      yield* other.readAhead(["a"])
      yield* one.execute("a", Counter.raise(2))
      yield* other.readAhead(["a"])
      assert.deepInclude(other.peek("a"), { state: { total: 1 }, length: 1 })
      yield* other.execute("a", Counter.raise(4))
      assert.deepStrictEqual(yield* totals("a"), [1, 3, 7])
    }).pipe(Effect.provide(Layer.merge(sqlite, IdGenerator.layer)))
  )
})
