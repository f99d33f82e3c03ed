/** Actors on one of several nodes, with events from its follower of the log at any moment. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import { IdGenerator } from "#streams/IdGenerator.ts"
import { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as StreamName from "#streams/StreamName.ts"
import { eventData } from "#test/support/EventFixtures.ts"
import * as Counter from "#test/support/streams/Counter.ts"
import { layer, logOf, node, stream } from "#test/support/streams/CounterNodes.ts"

/** Runs an action while `begun` waits at the gate, and returns the result. */
const during = Effect.fnUntraced(function* <A, E>(
  { isAt, open }: { readonly isAt: Deferred.Deferred<void>; readonly open: Deferred.Deferred<void> },
  begun: Effect.Effect<A, E>,
  meanwhile: Effect.Effect<void, unknown, EventStore>
) {
  const fiber = yield* Effect.forkChild(begun)
  yield* Deferred.await(isAt)
  yield* meanwhile
  yield* Deferred.succeed(open, undefined)
  return yield* Fiber.join(fiber)
})

/** A gate at which the first caller waits. */
const gate = Effect.gen(function* () {
  const isAt = yield* Deferred.make<void>()
  const open = yield* Deferred.make<void>()
  return { isAt, open, pass: Effect.andThen(Deferred.succeed(isAt, undefined), Deferred.await(open)) }
})

const totalOf = (actors: Effect.Success<ReturnType<typeof node>>["actors"], id = "a") =>
  actors.peek(id)?.state.total

describe("An observed event", () => {
  it.effect("is part of the state from then on, without a read", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* node(), yield* node()]
      yield* one.actors.execute("a", Counter.raise(1))
      yield* other.actors.execute("a", Counter.raise(2))
      yield* other.actors.execute("a", Counter.raise(4))
      const before = one.reads.length
      one.actors.observe(yield* logOf("a"))
      const { version } = (yield* logOf("a"))[2] ?? assert.fail()
      assert.deepStrictEqual(yield* one.actors.current("a"), { state: { total: 7 }, version, length: 3 })
      assert.strictEqual((yield* one.actors.execute("a", Counter.raise(1))).state.total, 8)
      assert.strictEqual(one.reads.length, before)
    }).pipe(Effect.provide(layer))
  )

  it.effect("has no effect if the actor has it already", () =>
    Effect.gen(function* () {
      const { actors } = yield* node()
      for (const by of [1, 2, 4]) yield* actors.execute("a", Counter.raise(by))
      const events = yield* logOf("a")
      for (const event of [...events, ...events]) {
        actors.observe([event])
        assert.strictEqual(totalOf(actors), 7)
      }
    }).pipe(Effect.provide(layer))
  )

  it.effect("is read from the log at the next use if an event in between is missing", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* node(), yield* node()]
      yield* one.actors.execute("a", Counter.raise(1))
      for (const by of [2, 4]) yield* other.actors.execute("a", Counter.raise(by))
      one.actors.observe((yield* logOf("a")).slice(2))
      assert.isUndefined(one.actors.peek("a"))
      assert.strictEqual((yield* one.actors.current("a")).state.total, 7)
    }).pipe(Effect.provide(layer))
  )

  it.effect("fails only reads of its stream if it cannot be decoded", () =>
    Effect.gen(function* () {
      const { actors } = yield* node()
      const other = yield* node()
      for (const id of ["a", "b"]) yield* actors.execute(id, Counter.raise(1))
      yield* (yield* EventStore).append({
        stream: stream("a"),
        expected: ExpectedVersion.Any,
        events: [eventData("future", "Teleported")]
      })
      yield* other.actors.execute("b", Counter.raise(2))
      actors.observe([...(yield* logOf("a")), ...(yield* logOf("b"))])
      assert.isTrue(Exit.isFailure(yield* Effect.exit(actors.current("a"))))
      assert.strictEqual(totalOf(actors, "b"), 3)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is ignored if its stream is of another category or has no actor", () =>
    Effect.gen(function* () {
      const { actors } = yield* node()
      yield* actors.execute("a", Counter.raise(1))
      const [event] = yield* logOf("a")
      if (event === undefined) return assert.fail()
      const account = StreamName.make("Account", "a")
      actors.observe([
        new RecordedEvent({ ...event, stream: account, ordinal: 1, text: '{"by":2,"total":3}' })
      ])
      assert.strictEqual(totalOf(actors), 1)
      const idle = yield* node()
      idle.actors.observe(yield* logOf("a"))
      assert.isUndefined(idle.actors.peek("a"))
    }).pipe(Effect.provide(layer))
  )
})

describe("An append in progress", () => {
  /** Its acknowledgement or the append itself waits. */
  const slow = Effect.fnUntraced(function* (what: "acknowledgement" | "append") {
    const waits = yield* gate
    const made = yield* node({}, (store) => ({
      append: (append) =>
        what === "append"
          ? Effect.andThen(waits.pass, store.append(append))
          : Effect.tap(store.append(append), () => waits.pass)
    }))
    return { ...made, waits }
  })
  const raise = (id: string, by: number) =>
    Effect.flatMap(node(), ({ actors }) => actors.execute(id, Counter.raise(by)))

  it.effect("that is observed before it is acknowledged counts once", () =>
    Effect.gen(function* () {
      const { actors, waits } = yield* slow("acknowledgement")
      const seen = Effect.map(logOf("a"), actors.observe)
      const { events, state } = yield* during(waits, actors.execute("a", Counter.raise(3)), seen)
      assert.lengthOf(events, 1)
      assert.strictEqual(state.total, 3)
      assert.deepInclude(yield* actors.current("a"), { state: { total: 3 }, length: 1 })
      assert.strictEqual((yield* actors.execute("a", Counter.raise(1))).state.total, 4)
    }).pipe(Effect.provide(layer))
  )

  it.effect("does not undo later events", () =>
    Effect.gen(function* () {
      const { actors, waits } = yield* slow("acknowledgement")
      const meanwhile = Effect.andThen(raise("a", 5), Effect.map(logOf("a"), actors.observe))
      const { state } = yield* during(
        waits,
        actors.execute("a", Counter.raise(3)),
        Effect.provide(meanwhile, IdGenerator.layer)
      )
      assert.strictEqual(state.total, 3)
      assert.strictEqual(totalOf(actors), 8)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is not the newest if later events were observed with a gap", () =>
    Effect.gen(function* () {
      const { actors, waits } = yield* slow("acknowledgement")
      const meanwhile = Effect.gen(function* () {
        yield* raise("a", 5)
        actors.observe((yield* logOf("a")).slice(1))
      })
      yield* during(
        waits,
        actors.execute("a", Counter.raise(3)),
        Effect.provide(meanwhile, IdGenerator.layer)
      )
      assert.isUndefined(actors.peek("a"))
      assert.strictEqual((yield* actors.current("a")).state.total, 8)
    }).pipe(Effect.provide(layer))
  )

  it.effect("that conflicts with another node is decided again on the observed state", () =>
    Effect.gen(function* () {
      const { actors, waits } = yield* slow("append")
      const meanwhile = Effect.andThen(raise("a", 99), Effect.map(logOf("a"), actors.observe))
      const refused = yield* during(
        waits,
        Effect.flip(actors.execute("a", Counter.raise(3))),
        Effect.provide(meanwhile, IdGenerator.layer)
      )
      assert.deepStrictEqual(refused, { _tag: "PastLimit" })
      assert.strictEqual(totalOf(actors), 99)
    }).pipe(Effect.provide(layer))
  )
})

describe("An actor that is being loaded", () => {
  /** The result of its read waits. */
  const slow = Effect.gen(function* () {
    const waits = yield* gate
    const { actors } = yield* node({}, (store) => ({
      read: (stream, after) => Effect.tap(store.read(stream, after), () => waits.pass)
    }))
    return { actors, waits }
  })

  it.effect("does not store a state that lacks observed events", () =>
    Effect.gen(function* () {
      const { actors, waits } = yield* slow
      const other = yield* node()
      yield* other.actors.execute("a", Counter.raise(1))
      const meanwhile = Effect.andThen(
        other.actors.execute("a", Counter.raise(2)),
        Effect.map(logOf("a"), (events) => actors.observe(events.slice(1)))
      )
      yield* during(waits, actors.current("a"), meanwhile)
      assert.strictEqual((yield* actors.current("a")).state.total, 3)
    }).pipe(Effect.provide(layer))
  )

  it.effect("keeps observed events when it catches up to less", () =>
    Effect.gen(function* () {
      const { actors, waits } = yield* slow
      const other = yield* node()
      yield* actors.create("a", Counter.raise(1))
      const meanwhile = Effect.andThen(
        other.actors.execute("a", Counter.raise(2)),
        Effect.map(logOf("a"), actors.observe)
      )
      assert.strictEqual((yield* during(waits, actors.refresh("a"), meanwhile)).state.total, 3)
      assert.strictEqual(totalOf(actors), 3)
    }).pipe(Effect.provide(layer))
  )
})

describe("An actor created by an observation", () => {
  it.effect("answers from memory and continues from there", () =>
    Effect.gen(function* () {
      const { actors, reads } = yield* node({ startsOnObserve: true })
      const other = yield* node()
      for (const by of [1, 2]) yield* other.actors.execute("a", Counter.raise(by))
      actors.observe(yield* logOf("a"))
      assert.strictEqual((yield* actors.current("a")).state.total, 3)
      assert.strictEqual((yield* actors.execute("a", Counter.raise(4))).state.total, 7)
      assert.deepStrictEqual(reads, [])
    }).pipe(Effect.provide(layer))
  )

  it.effect("is not created for a stream that began before", () =>
    Effect.gen(function* () {
      const { actors } = yield* node({ startsOnObserve: true })
      const other = yield* node()
      for (const by of [1, 2]) yield* other.actors.execute("a", Counter.raise(by))
      actors.observe((yield* logOf("a")).slice(1))
      assert.isUndefined(actors.peek("a"))
    }).pipe(Effect.provide(layer))
  )

  it.effect("never returns less than before it was dropped", () =>
    Effect.gen(function* () {
      const { actors } = yield* node({ startsOnObserve: true, capacity: 2 })
      for (const by of [1, 2]) yield* actors.execute("a", Counter.raise(by))
      for (const id of ["b", "c", "d", "e"]) yield* actors.execute(id, Counter.raise(1))
      assert.isUndefined(actors.peek("a"))
      actors.observe((yield* logOf("a")).slice(0, 1))
      assert.isUndefined(actors.peek("a"))
      assert.strictEqual((yield* actors.current("a")).state.total, 3)
    }).pipe(Effect.provide(layer))
  )
})
