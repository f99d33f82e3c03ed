/** What every backend of the log must do with payload records. Run by a test file for each backend. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { EventReader } from "#streams/EventReader.ts"
import { type Append, EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import type { SealedPayload } from "#streams/SealedPayload.ts"
import * as StreamName from "#streams/StreamName.ts"
import { eventData, inlinePayload } from "#test/support/EventFixtures.ts"

const stream = (id: string) => StreamName.make("Thing", id)

const blob: SealedPayload = {
  ...inlinePayload("big", "x"),
  content: { _tag: "Blob", key: "payloads/big" }
}

const append = (id: string, options: Partial<Append>) =>
  Effect.flatMap(EventStore, (store) =>
    store.append({
      stream: stream(id),
      expected: ExpectedVersion.Any,
      events: [eventData(id)],
      ...options
    })
  )

/** The payloads of a stream that have a record. */
const present = (id: string) =>
  Effect.flatMap(EventStore, (store) =>
    Effect.filter(["input", "output", "big"], (name) =>
      Effect.map(store.payload(stream(id), name), (record) => record !== null)
    )
  )

export const payloadRecordsContract = (
  backend: string,
  layer: Layer.Layer<EventStore | EventReader, unknown>
): void => {
  const test = (name: string, body: Effect.Effect<void, unknown, EventStore | EventReader>) =>
    it.live(name, () => Effect.provide(body, layer))

  describe(`Payload records on ${backend}`, () => {
    test(
      "are stored with the append that names them, and not with a conflicting one",
      Effect.gen(function* () {
        const store = yield* EventStore
        const first = (text: string) =>
          append("p", { expected: ExpectedVersion.NoStream, payloads: [inlinePayload("input", text)] })
        yield* first('{"a":1}')
        yield* Effect.flip(first('{"a":2}'))
        yield* append("q", { payloads: [blob] })
        assert.deepStrictEqual(yield* store.payload(stream("p"), "input"), inlinePayload("input", '{"a":1}'))
        assert.deepStrictEqual(yield* store.payload(stream("q"), "big"), blob)
        assert.isNull(yield* store.payload(stream("p"), "output"))
      })
    )

    test(
      "of many streams are read at once as each is read, if the backend can",
      Effect.gen(function* () {
        const store = yield* EventStore
        for (const id of ["p", "q", "r"]) {
          yield* append(id, { payloads: [inlinePayload("input", `"${id}"`), inlinePayload("output", "2")] })
        }
        yield* append("r", { erases: ["input"] })
        yield* append("s", { payloads: [{ ...blob, name: "input" }] })
        if (store.many === undefined) return
        const found = yield* store.many.payloads(["q", "r", "s", "nobody"].map(stream), "input")
        assert.sameDeepMembers(
          [...found],
          [
            { stream: stream("q"), payload: inlinePayload("input", '"q"') },
            { stream: stream("s"), payload: { ...blob, name: "input" } }
          ]
        )
      })
    )

    test(
      "are erased with the append that erases them, inline or blob; others stay",
      Effect.gen(function* () {
        const store = yield* EventStore
        const payloads = [inlinePayload("input", "1"), inlinePayload("output", "2"), blob]
        yield* append("p", { payloads })
        yield* append("q", { payloads })
        yield* append("p", { erases: ["input", "big"] })
        assert.deepStrictEqual(yield* present("p"), ["output"])
        assert.deepStrictEqual(yield* present("q"), ["input", "output", "big"])
        assert.lengthOf(yield* store.read(stream("p")), 2)
      })
    )

    test(
      "may be erased repeatedly, or without having existed",
      Effect.gen(function* () {
        const store = yield* EventStore
        yield* append("new", { expected: ExpectedVersion.NoStream, erases: ["input"] })
        yield* append("p", { payloads: [inlinePayload("input", "1"), inlinePayload("output", "2")] })
        yield* append("p", { erases: ["input"] })
        yield* append("p", { erases: ["input", "never"] })
        yield* append("p", { erases: [] })
        assert.deepStrictEqual(yield* present("p"), ["output"])
        assert.lengthOf(yield* store.read(stream("p")), 4)
      })
    )

    test(
      "stay if the erasing append conflicts",
      Effect.gen(function* () {
        yield* append("p", { payloads: [inlinePayload("input", "1")] })
        yield* Effect.flip(append("p", { expected: ExpectedVersion.NoStream, erases: ["input"] }))
        assert.deepStrictEqual(yield* present("p"), ["input"])
      })
    )

    test(
      "are not stored if their own append erases them",
      Effect.gen(function* () {
        yield* append("p", {
          payloads: [inlinePayload("input", "1"), inlinePayload("output", "2")],
          erases: ["input"]
        })
        assert.deepStrictEqual(yield* present("p"), ["output"])
      })
    )

    test(
      "are erased by an append that is concurrent with the storing one",
      Effect.gen(function* () {
        yield* Effect.all(
          [
            append("p", { payloads: [inlinePayload("input", "1"), inlinePayload("output", "2")] }),
            append("q", { payloads: [inlinePayload("input", "1")] }),
            append("p", { erases: ["input"] })
          ],
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(yield* present("p"), ["output"])
        assert.deepStrictEqual(yield* present("q"), ["input"])
      })
    )
  })
}
