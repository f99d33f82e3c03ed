/** The findings of a verification on any backend; `sqlite/Tampering.test.ts` covers SQLite files. */
import { assert, describe } from "@effect/vitest"
import { Effect, Stream } from "effect"
import * as EventChain from "#streams/EventChain.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { RecordedEvent } from "#streams/RecordedEvent.ts"
import { type Anchor, type VerifyOptions, verify } from "#streams/Verify.ts"
import { append, appendPayload, stream, test } from "#test/support/streams/WrittenLog.ts"

/** Three streams, six events. */
const written = Effect.gen(function* () {
  for (const [index, id] of ["a", "b", "a", "c", "b", "a"].entries())
    yield* append(id, `e${index}`, { index })
})

const at = (position: string) => GlobalPosition.GlobalPosition.make(position)

/** The log after it was tampered with. */
const tampered = (alter: (events: ReadonlyArray<RecordedEvent>) => ReadonlyArray<RecordedEvent>) =>
  Effect.map(EventReader, (reader) => {
    const all = Effect.map(Stream.runCollect(reader.readAll(GlobalPosition.beginning)), alter)
    return EventReader.of({
      ...reader,
      readAll: () => Stream.fromIterableEffect(all),
      read: (stream) => Effect.map(all, (events) => events.filter((event) => event.stream === stream))
    })
  })

const verifyTampered = (
  alter: (events: ReadonlyArray<RecordedEvent>) => ReadonlyArray<RecordedEvent>,
  options?: VerifyOptions
) =>
  Effect.flatMap(tampered(alter), (reader) =>
    Effect.provideService(Effect.flip(verify(options)), EventReader, reader)
  )

const anchorOf = Effect.map(verify(), ({ position, digest }): Anchor => ({
  source: "a note",
  position,
  digest
}))

describe("Verifying", () => {
  test(
    "an empty log succeeds",
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* verify(), {
        events: 0,
        payloads: 0,
        erasedPayloads: 0,
        position: GlobalPosition.beginning,
        digest: EventChain.origin,
        hash: EventChain.origin
      })
    })
  )

  test(
    "an intact log returns its size, end and digest",
    Effect.gen(function* () {
      yield* written
      yield* appendPayload("small", 100)
      yield* appendPayload("large", 200_000)
      const { events, payloads, erasedPayloads, position, digest } = yield* verify()
      assert.deepStrictEqual(
        { events, payloads, erasedPayloads, position },
        {
          events: 8,
          payloads: 2,
          erasedPayloads: 0,
          position: at("8")
        }
      )
      const reader = yield* EventReader
      const all = yield* Stream.runCollect(reader.readAll(GlobalPosition.beginning))
      assert.strictEqual(
        digest,
        all.reduce((digest, { hash }) => EventChain.digest(digest, hash), EventChain.origin)
      )
    })
  )

  test(
    "reports its progress",
    Effect.gen(function* () {
      yield* written
      const seen: Array<number> = []
      yield* verify({ onProgress: (events) => Effect.sync(() => void seen.push(events)) })
      assert.strictEqual(seen.at(-1), 6)
    })
  )

  test(
    "agrees with anchors at the end, in the middle and at the beginning",
    Effect.gen(function* () {
      const empty = yield* anchorOf
      yield* append("a", "e1")
      const middle = yield* anchorOf
      yield* append("b", "e2")
      const end = yield* anchorOf
      assert.strictEqual((yield* verify({ anchors: [empty, middle, end] })).events, 2)
    })
  )

  test(
    "detects an anchor with another digest, at any position, also beside a matching one",
    Effect.gen(function* () {
      const empty = yield* anchorOf
      yield* append("a", "e1")
      const middle = yield* anchorOf
      yield* append("b", "e2")
      const end = yield* anchorOf
      for (const anchor of [empty, middle, end]) {
        const wrong = { source: "another note", position: anchor.position, digest: "another" }
        for (const anchors of [[wrong], [anchor, wrong], [wrong, anchor]]) {
          const broken = yield* Effect.flip(verify({ anchors }))
          assert.deepInclude(broken, { _tag: "LogBroken", position: anchor.position })
          assert.match(broken.message, /does not match another note/)
        }
      }
    })
  )

  test(
    "detects an anchor beyond the end, and one at a position without an event",
    Effect.gen(function* () {
      yield* written
      const { digest } = yield* verify()
      for (const position of ["7", "100", "5.1", "003"]) {
        const anchors = [{ source: "a note", position: at(position), digest }]
        const broken = yield* Effect.flip(verify({ anchors }))
        assert.deepInclude(broken, { _tag: "LogBroken", position: "6" })
        assert.include(broken.message, `but a note names an event at position ${position}`)
      }
    })
  )

  test(
    "names the altered event, whichever part was changed",
    Effect.gen(function* () {
      yield* written
      const altered = { id: "x", type: "Other", time: 1, text: '{"index":9}', hash: "x", ordinal: 7 }
      for (const [field, value] of Object.entries(altered)) {
        const broken = yield* verifyTampered((events) =>
          events.map((event) =>
            event.position === "3" ? new RecordedEvent({ ...fieldsOf(event), [field]: value }) : event
          )
        )
        assert.deepInclude(broken, { _tag: "LogBroken", position: "3" }, field)
      }
    })
  )

  test(
    "names an event that was moved to another stream",
    Effect.gen(function* () {
      yield* written
      const broken = yield* verifyTampered((events) =>
        events.map((event) =>
          event.position === "3" ? new RecordedEvent({ ...fieldsOf(event), stream: stream("c") }) : event
        )
      )
      assert.deepInclude(broken, { _tag: "LogBroken", position: "3" })
    })
  )

  test(
    "names the event after a missing one of its stream",
    Effect.gen(function* () {
      yield* written
      const broken = yield* verifyTampered((events) => events.filter(({ position }) => position !== "1"))
      assert.deepInclude(broken, { _tag: "LogBroken", position: "3" })
      assert.match(broken.message, /before it in its stream Thing-a is missing/)
    })
  )

  test(
    "does not detect a missing stream without an anchor",
    Effect.gen(function* () {
      yield* written
      const anchor = yield* anchorOf
      const without = (events: ReadonlyArray<RecordedEvent>) =>
        events.filter((event) => event.stream !== stream("c"))
      const reader = yield* tampered(without)
      assert.strictEqual((yield* Effect.provideService(verify(), EventReader, reader)).events, 5)
      const broken = yield* verifyTampered(without, { anchors: [anchor] })
      assert.deepInclude(broken, { _tag: "LogBroken", position: "6" })
      assert.match(broken.message, /does not match a note/)
    })
  )

  test(
    "names the first event that came too early if two of a stream were swapped",
    Effect.gen(function* () {
      yield* written
      const broken = yield* verifyTampered((events) => {
        const [first, second, third, ...rest] = events
        return first && second && third ? [third, second, first, ...rest] : events
      })
      assert.deepInclude(broken, { _tag: "LogBroken", position: "1" })
    })
  )

  test(
    "names the first of two faults, in a payload and in an event, in either order",
    Effect.gen(function* () {
      const blobs = yield* BlobStore
      yield* append("b", "e1")
      const sealed = yield* appendPayload("a", 200_000)
      yield* append("b", "e3")
      if (sealed.content._tag === "Blob") yield* blobs.remove(sealed.content.key)
      const alteredAt = (position: string) =>
        verifyTampered((events) =>
          events.map((event) =>
            event.position === position ? new RecordedEvent({ ...fieldsOf(event), text: '{"x":1}' }) : event
          )
        )
      assert.deepInclude(yield* alteredAt("1"), { _tag: "LogBroken", position: "1" })
      assert.deepInclude(yield* alteredAt("3"), { _tag: "LogBroken", position: "2" })
      const anchors = [{ source: "a note", position: at("3"), digest: "another" }]
      assert.deepInclude(yield* Effect.flip(verify({ anchors })), { _tag: "LogBroken", position: "2" })
    })
  )
})

const fieldsOf = ({ position, stream, ordinal, version, id, type, time, text, hash }: RecordedEvent) => ({
  position,
  stream,
  ordinal,
  version,
  id,
  type,
  time,
  text,
  hash
})
