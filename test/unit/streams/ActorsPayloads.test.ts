/** Payloads in the commands of an actor. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Actors from "#streams/Actors.ts"
import { EventStore } from "#streams/EventStore.ts"
import { IdGenerator } from "#streams/IdGenerator.ts"
import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import { refOf } from "#streams/Payload.ts"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import * as StreamName from "#streams/StreamName.ts"
import { inlinePayload } from "#test/support/EventFixtures.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Counter from "#test/support/streams/Counter.ts"

const stream = (id: string) => StreamName.make("Counter", id)

const note = inlinePayload("note", '"kept"')
const noteIt: Counter.Command = { _tag: "Note", note: refOf(note) }

const payloadsOn = (backend: string, log: Layer.Layer<EventStore, unknown>) => {
  const layer = Layer.merge(log, IdGenerator.layer)
  const test = (name: string, body: Effect.Effect<void, unknown, EventStore | IdGenerator>) =>
    it.live(name, () => Effect.provide(body, layer))

  describe(`Payloads of an actor's command on ${backend}`, () => {
    test(
      "are stored when the events name them, and dropped otherwise",
      Effect.gen(function* () {
        const actors = yield* Actors.make(Counter.aggregate)
        const store = yield* EventStore
        const others = [inlinePayload("other", '"x"'), inlinePayload("note", '"another"')]
        yield* actors.execute("a", noteIt, [...others, note])
        yield* actors.execute("b", Counter.raise(0), [note])
        yield* actors.execute("b", Counter.raise(1), [note])
        assert.deepStrictEqual(yield* store.payload(stream("a"), "note"), note)
        assert.isNull(yield* store.payload(stream("a"), "other"))
        assert.isNull(yield* store.payload(stream("b"), "note"))
      })
    )

    test(
      "are erased with the event that names them, only in its stream",
      Effect.gen(function* () {
        const actors = yield* Actors.make(Counter.aggregate)
        const store = yield* EventStore
        for (const id of ["a", "b"]) yield* actors.execute(id, noteIt, [note])
        yield* actors.execute("a", { _tag: "Erase", erased: ["other"] })
        assert.deepStrictEqual(yield* store.payload(stream("a"), "note"), note)
        yield* actors.execute("a", { _tag: "Erase", erased: ["other", "note"] })
        assert.isNull(yield* store.payload(stream("a"), "note"))
        assert.deepStrictEqual(yield* store.payload(stream("b"), "note"), note)
        assert.lengthOf(yield* store.read(stream("a")), 3)
      })
    )
  })
}

payloadsOn("memory", MemoryEventStore.layer)
payloadsOn("SQLite", TempDirectory.provide(SqliteEventStore.layer))
