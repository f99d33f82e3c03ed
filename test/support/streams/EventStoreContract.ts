/** What every backend of the log must do with events. Run by a test file for each backend. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, type Layer, Stream } from "effect"
import * as EventChain from "#streams/EventChain.ts"
import { EventReader } from "#streams/EventReader.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as StreamName from "#streams/StreamName.ts"
import { eventData, many } from "#test/support/EventFixtures.ts"

const stream = (id: string) => StreamName.make("Thing", id)

const ids = (events: ReadonlyArray<RecordedEvent>) => events.map((event) => event.id)

const takeIds = (after: GlobalPosition.GlobalPosition, count: number) =>
  Effect.flatMap(EventReader, (reader) =>
    reader.subscribe(after).pipe(Stream.take(count), Stream.runCollect, Effect.map(ids))
  )

/** The same by `follow`, with a pause after every third call. */
const followIds = (after: GlobalPosition.GlobalPosition, count: number) =>
  Effect.gen(function* () {
    const reader = yield* EventReader
    const seen: Array<string> = []
    const complete = yield* Deferred.make<void>()
    let calls = 0
    const following = reader.follow(after, (events) => {
      seen.push(...ids(events))
      if (seen.length >= count) Deferred.doneUnsafe(complete, Effect.void)
      return calls++ % 3 === 0 ? Effect.yieldNow : undefined
    })
    yield* Effect.raceFirst(following, Deferred.await(complete))
    return seen
  })

export const eventStoreContract = (
  backend: string,
  layer: Layer.Layer<EventStore | EventReader, unknown>
): void => {
  const test = (name: string, body: Effect.Effect<void, unknown, EventStore | EventReader>) =>
    it.live(name, () => Effect.provide(body, layer))

  describe(`EventStore on ${backend}`, () => {
    test(
      "reads a stream's events as appended, in order",
      Effect.gen(function* () {
        const store = yield* EventStore
        const data = {
          text: "naïve ☃ \u0000 \ud83d\ude00",
          nested: { b: [1, 2.5, -0.1, null, true], a: "x" }
        }
        yield* store.append({
          stream: stream("a"),
          expected: ExpectedVersion.NoStream,
          events: [eventData("e1", "Made", data), eventData("e2", "Changed", { count: 1 })]
        })
        yield* store.append({ stream: stream("b"), expected: ExpectedVersion.Any, events: [eventData("e3")] })
        const events = yield* store.read(stream("a"))
        assert.deepStrictEqual(
          events.map(({ id, type, ordinal, data, time }) => ({ id, type, ordinal, data, time })),
          [
            { id: "e1", type: "Made", ordinal: 0, data, time: 1_700_000_000_000 },
            { id: "e2", type: "Changed", ordinal: 1, data: { count: 1 }, time: 1_700_000_000_000 }
          ]
        )
        assert.deepStrictEqual(yield* store.read(stream("nobody")), [])
      })
    )

    test(
      "reads many streams at once as it reads each, if it can",
      Effect.gen(function* () {
        const store = yield* EventStore
        for (const id of ["b", "a", "b", "c", "a"]) {
          const events = [eventData(`${id}1`), eventData(`${id}2`)] as const
          yield* store.append({ stream: stream(id), expected: ExpectedVersion.Any, events })
        }
        if (store.many === undefined) return
        const found = yield* store.many.read(["b", "nobody", "a"].map(stream))
        const [a, b] = [yield* store.read(stream("a")), yield* store.read(stream("b"))]
        assert.deepStrictEqual(found, [...a, ...b])
      })
    )

    test(
      "reads only the events after a version",
      Effect.gen(function* () {
        const store = yield* EventStore
        const first = yield* store.append({
          stream: stream("a"),
          expected: ExpectedVersion.Any,
          events: many("x", 3)
        })
        yield* store.append({
          stream: stream("a"),
          expected: ExpectedVersion.exactly(first.version),
          events: many("y", 2)
        })
        assert.deepStrictEqual(ids(yield* store.read(stream("a"), first.version)), ["y0", "y1"])
      })
    )

    test(
      "rejects NoStream for an existing stream, and a version that is not the last",
      Effect.gen(function* () {
        const store = yield* EventStore
        const append = (expected: ExpectedVersion.ExpectedVersion, id: string) =>
          store.append({ stream: stream("a"), expected, events: [eventData(id)] })
        const early = yield* Effect.exit(
          append(ExpectedVersion.exactly(ExpectedVersion.trustedVersion("0")), "early")
        )
        const first = yield* append(ExpectedVersion.NoStream, "first")
        const second = yield* append(ExpectedVersion.exactly(first.version), "second")
        const again = yield* Effect.flip(append(ExpectedVersion.NoStream, "again"))
        const stale = yield* Effect.flip(append(ExpectedVersion.exactly(first.version), "stale"))
        assert.isTrue(Exit.isFailure(early))
        assert.strictEqual(again._tag, "WrongExpectedVersion")
        assert.strictEqual(stale._tag, "WrongExpectedVersion")
        yield* append(ExpectedVersion.exactly(second.version), "third")
        assert.deepStrictEqual(ids(yield* store.read(stream("a"))), ["first", "second", "third"])
      })
    )

    test(
      "lets exactly one of many racing writers win; the losers write nothing",
      Effect.gen(function* () {
        const store = yield* EventStore
        const { version } = yield* store.append({
          stream: stream("raced"),
          expected: ExpectedVersion.NoStream,
          events: [eventData("start")]
        })
        const exits = yield* Effect.forEach(
          Array.from({ length: 50 }, (_, index) => index),
          (index) =>
            Effect.exit(
              store.append({
                stream: stream("raced"),
                expected: ExpectedVersion.exactly(version),
                events: many(`w${index}-`, 2)
              })
            ),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(exits.filter(Exit.isSuccess).length, 1)
        assert.strictEqual((yield* store.read(stream("raced"))).length, 3)
      })
    )

    test(
      "fails only the conflicting append among concurrent ones",
      Effect.gen(function* () {
        const store = yield* EventStore
        yield* store.append({
          stream: stream("taken"),
          expected: ExpectedVersion.NoStream,
          events: many("t", 1)
        })
        const exits = yield* Effect.forEach(
          ["one", "taken", "two", "three"],
          (id) =>
            Effect.exit(
              store.append({
                stream: stream(id),
                expected: ExpectedVersion.NoStream,
                events: many(`${id}-`, 1)
              })
            ),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false, true, true])
      })
    )

    test(
      "keeps the events of one append together, in the order of every reader",
      Effect.gen(function* () {
        const store = yield* EventStore
        const reader = yield* EventReader
        const follower = yield* Effect.forkChild(takeIds(GlobalPosition.beginning, 150))
        yield* Effect.forEach(
          Array.from({ length: 50 }, (_, index) => index),
          (index) =>
            store.append({
              stream: stream(`s${index % 7}`),
              expected: ExpectedVersion.Any,
              events: many(`${index}.`, 3)
            }),
          { concurrency: 10 }
        )
        const replayed = yield* Stream.runCollect(reader.readAll(GlobalPosition.beginning))
        assert.deepStrictEqual(yield* Fiber.join(follower), ids(replayed))
        for (let index = 0; index < replayed.length; index += 3) {
          const appended = ids(replayed.slice(index, index + 3)).map((id) => id.split("."))
          assert.deepStrictEqual(
            appended.map(([, part]) => part),
            ["0", "1", "2"]
          )
          assert.strictEqual(new Set(appended.map(([append]) => append)).size, 1)
        }
        for (const [index, event] of replayed.entries()) {
          const next = replayed[index + 1]
          if (next) assert.isBelow(GlobalPosition.order(event.position, next.position), 0)
        }
      })
    )

    test(
      "replays and follows without gaps or repeats, from any position, during writes",
      Effect.gen(function* () {
        const store = yield* EventStore
        const total = 2_000
        const write = (from: number, to: number) =>
          Effect.forEach(
            Array.from({ length: to - from }, (_, index) => from + index),
            (index) =>
              store.append({
                stream: stream(`n${index % 13}`),
                expected: ExpectedVersion.Any,
                events: [eventData(`e${index}`)]
              }),
            { concurrency: 16 }
          )
        yield* write(0, total / 2)
        // Not in the order in which they were begun, on every backend.
        const early = yield* Stream.runCollect(store.readAll(GlobalPosition.beginning))
        const starts = [0, 1, 511, 512, 513, 999].flatMap((count) => [
          { count, read: takeIds },
          { count, read: followIds }
        ])
        const followers = yield* Effect.forEach(starts, ({ count, read }) => {
          const start = early[count - 1]?.position ?? GlobalPosition.beginning
          return Effect.forkChild(read(start, total - count))
        })
        yield* write(total / 2, total)
        const all = ids(yield* Stream.runCollect(store.readAll(GlobalPosition.beginning)))
        assert.strictEqual(new Set(all).size, total)
        for (const follower of followers) {
          const seen = yield* Fiber.join(follower)
          assert.isAtLeast(seen.length, total - 999)
          assert.deepStrictEqual(seen, all.slice(all.length - seen.length))
        }
      })
    )

    test(
      "ends readAll at the head of its start",
      Effect.gen(function* () {
        const store = yield* EventStore
        yield* store.append({ stream: stream("a"), expected: ExpectedVersion.Any, events: many("x", 5) })
        const seen = yield* store.readAll(GlobalPosition.beginning).pipe(
          Stream.tap(() =>
            store.append({ stream: stream("b"), expected: ExpectedVersion.Any, events: many("late", 1) })
          ),
          Stream.runCollect
        )
        assert.deepStrictEqual(ids(seen), ["x0", "x1", "x2", "x3", "x4"])
        assert.deepStrictEqual(yield* Stream.runCollect(store.readAll(yield* store.head)), [])
      })
    )

    test(
      "knows its head, and signals when it moves",
      Effect.gen(function* () {
        const store = yield* EventStore
        assert.strictEqual(yield* store.head, GlobalPosition.beginning)
        const moved = yield* Effect.forkChild(store.changes.pipe(Stream.take(2), Stream.runCollect))
        yield* Effect.yieldNow
        const { position } = yield* store.append({
          stream: stream("a"),
          expected: ExpectedVersion.Any,
          events: many("x", 2)
        })
        assert.strictEqual(yield* store.head, position)
        assert.deepStrictEqual(yield* Fiber.join(moved), [GlobalPosition.beginning, position])
      })
    )

    test(
      "chains each event to the previous one of its stream, by name, ordinal, id, type, time and data",
      Effect.gen(function* () {
        const store = yield* EventStore
        yield* store.append({ stream: stream("other"), expected: ExpectedVersion.Any, events: many("o", 1) })
        yield* store.append({
          stream: stream("chain"),
          expected: ExpectedVersion.Any,
          events: [eventData("c0", "Made", { b: 1, a: [] }), eventData("c1", "Made", {})]
        })
        const [first, second] = yield* store.read(stream("chain"))
        const link = { stream: stream("chain"), type: "Made", time: 1_700_000_000_000 }
        const expected = EventChain.hash(EventChain.origin, {
          ...link,
          id: "c0",
          ordinal: 0,
          text: '{"a":[],"b":1}'
        })
        assert.strictEqual(first?.hash, expected)
        assert.strictEqual(
          second?.hash,
          EventChain.hash(expected, { ...link, id: "c1", ordinal: 1, text: "{}" })
        )
      })
    )
  })
}
