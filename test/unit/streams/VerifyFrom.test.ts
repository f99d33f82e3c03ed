/** Verifications that begin inside the log. */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import { type Mark, verify } from "#streams/Verify.ts"
import * as TamperedReader from "#test/support/streams/TamperedReader.ts"
import { append, appendPayload, stream, test } from "#test/support/streams/WrittenLog.ts"

const at = (position: string) => GlobalPosition.GlobalPosition.make(position)

const markOf = Effect.map(verify(), ({ digest, hash, position }): Mark => ({
  source: "a checkpoint",
  position,
  digest,
  hash
}))

/** Events of three streams, a mark at position 3, and more events of one of them and of a new one. */
const written = Effect.gen(function* () {
  for (const id of ["a", "b", "c"]) yield* append(id, `before-${id}`)
  const mark = yield* markOf
  yield* append("a", "after-a")
  yield* append("d", "after-d")
  yield* appendPayload("d", 100)
  return mark
})

const brokenBy = (from: Mark, alter: TamperedReader.Alter) =>
  Effect.flatMap(TamperedReader.make(alter), (reader) =>
    Effect.provideService(Effect.flip(verify({ from })), EventReader, reader)
  )

const changed = (position: string) => (events: ReadonlyArray<RecordedEvent>) =>
  events.map((event) =>
    event.position === position ? TamperedReader.changed(event, { text: '{"x":1}' }) : event
  )

describe("Verifying from a mark", () => {
  test(
    "counts the events after it, and ends with the digest of a whole verification",
    Effect.gen(function* () {
      const from = yield* written
      const whole = yield* verify()
      assert.deepStrictEqual(yield* verify({ from, marks: [from] }), { ...whole, events: 3, payloads: 1 })
      const end = yield* markOf
      const anchors = [{ source: "a note", position: at("1"), digest: "not compared" }, end]
      assert.deepStrictEqual(yield* verify({ from: end, anchors }), { ...whole, events: 0, payloads: 0 })
    })
  )

  test(
    "names a changed event after it, and one before it if its stream goes on",
    Effect.gen(function* () {
      const from = yield* written
      for (const position of ["1", "3", "4", "5"]) {
        assert.deepInclude(yield* brokenBy(from, changed(position)), { _tag: "LogBroken", position })
      }
    })
  )

  test(
    "does not read other events before it again",
    Effect.gen(function* () {
      const from = yield* written
      const reader = yield* TamperedReader.make(changed("2"))
      assert.strictEqual((yield* Effect.provideService(verify({ from }), EventReader, reader)).events, 3)
    })
  )

  test(
    "names the mark that the log does not have",
    Effect.gen(function* () {
      const from = yield* written
      const other = yield* Effect.flip(verify({ from: { ...from, hash: "another" } }))
      assert.deepInclude(other, { position: "3", reason: "the event is not the one that a checkpoint names" })
      const marks = [{ ...from, source: "an older one", position: at("2") }]
      assert.include((yield* Effect.flip(verify({ from, marks }))).message, "that an older one names")
      const shorter = yield* brokenBy(from, (events) => events.slice(0, 2))
      assert.deepInclude(shorter, {
        position: "2",
        reason: "the log ends here, but a checkpoint names an event at position 3"
      })
    })
  )

  test(
    "names an anchor after it with another digest, which a wrong digest of the mark leads to",
    Effect.gen(function* () {
      const from = yield* written
      const end = yield* markOf
      const broken = yield* Effect.flip(verify({ from: { ...from, digest: "wrong" }, anchors: [end] }))
      assert.deepInclude(broken, { position: "6" })
    })
  )

  test(
    "finds a missing event of a stream that goes on",
    Effect.gen(function* () {
      const from = yield* written
      const broken = yield* brokenBy(from, (events) =>
        events.filter((event) => event.stream !== stream("a") || event.position !== "1")
      )
      assert.deepInclude(broken, { position: "4" })
    })
  )
})
