import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Stream } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import { inlineLimit } from "#domain/PayloadRef.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import { EventReader } from "#streams/EventReader.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as MemoryBlobStore from "#streams/MemoryBlobStore.ts"
import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import * as Payload from "#streams/Payload.ts"
import type { SealedPayload } from "#streams/SealedPayload.ts"
import * as PayloadText from "#streams/PayloadText.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as Tombstone from "#streams/Tombstone.ts"
import { eventData } from "#test/support/EventFixtures.ts"

const layer = Payload.Payloads.layer.pipe(
  Layer.provideMerge(Layer.merge(MemoryEventStore.layer, MemoryBlobStore.layer))
)

const test = (name: string, body: Effect.Effect<void, unknown, Layer.Success<typeof layer>>) =>
  it.effect(name, () => Effect.provide(body, layer))

const stream = StreamName.make("Thing", "a")

const seal = (json: Json, name = "input") =>
  Effect.flatMap(Payload.Payloads, (payloads) =>
    payloads.seal({ owner: "acc_1", stream, name, text: JSON.stringify(json) })
  )

const store = (payload: SealedPayload) =>
  Effect.flatMap(EventStore, ({ append }) =>
    append({
      stream,
      expected: ExpectedVersion.Any,
      events: [eventData("e")],
      payloads: [payload]
    })
  )

const erase = (erases: ReadonlyArray<string>) =>
  Effect.flatMap(EventStore, ({ append }) =>
    append({
      stream,
      expected: ExpectedVersion.Any,
      events: [eventData("t", Tombstone.type, { erased: erases })],
      erases
    })
  )

const erasedOf = (payload: SealedPayload): Payload.ErasedPayload => ({
  owner: "acc_1",
  stream,
  name: payload.name,
  ref: Payload.refOf(payload)
})

const open = (payload: SealedPayload) =>
  Effect.flatMap(Payload.Payloads, (payloads) => payloads.open(stream, payload.name, Payload.refOf(payload)))

/** As another process that has not seen the payload. */
const openAnew = (payload: SealedPayload) =>
  Effect.provide(open(payload), Layer.fresh(Payload.Payloads.layer))

const openText = (payload: SealedPayload) =>
  Effect.flatMap(Payload.Payloads, (payloads) =>
    payloads.openText(stream, payload.name, Payload.refOf(payload))
  )

const consumed = (text: PayloadText.PayloadText<Payload.Unreadable>) =>
  text instanceof PayloadText.InlineText
    ? Effect.succeed(text.text)
    : Stream.mkString(Stream.decodeText(text.chunks))

const large = { text: "ä".repeat(inlineLimit) }

/** A string whose JSON has `bytes` bytes. */
const ofBytes = (bytes: number) => "x".repeat(bytes - 2)

describe("Payloads", () => {
  test(
    "return the text of a payload as it was sealed",
    Effect.gen(function* () {
      const sealed = yield* seal({ b: 1, a: "naïve ☃" })
      assert.strictEqual(sealed.content._tag, "Inline")
      assert.strictEqual(sealed.size, Buffer.byteLength('{"b":1,"a":"naïve ☃"}'))
      yield* store(sealed)
      assert.strictEqual(yield* openAnew(sealed), '{"b":1,"a":"naïve ☃"}')
    })
  )

  test(
    "cache a sealed payload until it is discarded",
    Effect.gen(function* () {
      const payloads = yield* Payload.Payloads
      const sealed = yield* seal({ a: 1 })
      assert.strictEqual(yield* open(sealed), '{"a":1}')
      yield* payloads.discard([sealed])
      assert.deepInclude(yield* Effect.flip(open(sealed)), { _tag: "PayloadUnavailable", reason: "erased" })
    })
  )

  test(
    "remove the blob of a discarded payload, and no other",
    Effect.gen(function* () {
      const blobs = yield* BlobStore
      const payloads = yield* Payload.Payloads
      const [dropped, kept] = [yield* seal(large), yield* seal(large)]
      yield* payloads.discard([dropped, yield* seal(1)])
      const sizeOf = ({ content }: SealedPayload) =>
        content._tag === "Blob" ? blobs.size(content.key) : Effect.die("not in the blob store")
      assert.isNull(yield* sizeOf(dropped))
      assert.strictEqual(yield* sizeOf(kept), kept.size)
    })
  )

  test(
    "hash equal content under a new salt each time, so that a hash reveals nothing",
    Effect.gen(function* () {
      const [one, two] = [yield* seal({ secret: 1 }), yield* seal({ secret: 1 })]
      assert.notStrictEqual(one.salt, two.salt)
      assert.notStrictEqual(one.hash, two.hash)
      assert.strictEqual(Buffer.from(one.salt, "base64url").length, 16)
    })
  )

  test(
    "store content above 64 KiB in the blob store, under its owner and stream",
    Effect.gen(function* () {
      const fits = yield* seal(ofBytes(inlineLimit))
      assert.strictEqual(fits.content._tag, "Inline")
      const past = yield* seal(ofBytes(inlineLimit + 1))
      assert.deepStrictEqual(past.content, {
        _tag: "Blob",
        key: `payloads/acc_1/Thing-a/input-${past.hash}`
      })
      assert.strictEqual(past.size, inlineLimit + 1)
    })
  )

  test(
    "return content of the blob store with characters of several bytes intact",
    Effect.gen(function* () {
      const sealed = yield* seal(large)
      yield* store(sealed)
      assert.strictEqual(yield* openAnew(sealed), JSON.stringify(large))
    })
  )

  test(
    "report erased if the record is missing, and lost if only its blob is",
    Effect.gen(function* () {
      const blobs = yield* BlobStore
      const never = yield* seal(1)
      assert.deepInclude(yield* Effect.flip(openAnew(never)), { reason: "erased" })
      const sealed = yield* seal(large, "output")
      yield* store(sealed)
      if (sealed.content._tag === "Blob") yield* blobs.remove(sealed.content.key)
      assert.deepInclude(yield* Effect.flip(openAnew(sealed)), {
        _tag: "PayloadUnavailable",
        reason: "lost"
      })
    })
  )

  test(
    "are neither in memory nor in the blob store after the rest was removed, also repeatedly",
    Effect.gen(function* () {
      const blobs = yield* BlobStore
      const payloads = yield* Payload.Payloads
      const [small, big] = [yield* seal(1, "small"), yield* seal(large, "big")]
      const kept = yield* seal(large, "kept")
      for (const sealed of [small, big, kept]) yield* store(sealed)
      yield* erase(["small", "big"])
      assert.strictEqual(yield* open(small), "1")
      for (const sealed of [small, big, big]) yield* payloads.removeErased(erasedOf(sealed))
      for (const sealed of [small, big]) {
        assert.deepInclude(yield* Effect.flip(open(sealed)), { reason: "erased" })
      }
      assert.isNull(yield* blobs.size(`payloads/acc_1/Thing-a/big-${big.hash}`))
      assert.strictEqual(yield* open(kept), JSON.stringify(large))
    })
  )

  test(
    "are not cached by a read in progress during their erasure",
    Effect.gen(function* () {
      const reader = yield* EventReader
      const sealed = yield* seal({ a: 1 })
      yield* store(sealed)
      const found = yield* Deferred.make<void>()
      const goOn = yield* Deferred.make<void>()
      const slow = EventReader.of({
        ...reader,
        payload: (stream, name) =>
          reader
            .payload(stream, name)
            .pipe(Effect.tap(Deferred.succeed(found, undefined)), Effect.tap(Deferred.await(goOn)))
      })
      yield* Effect.gen(function* () {
        const reading = yield* Effect.forkChild(open(sealed))
        yield* Deferred.await(found)
        yield* erase(["input"])
        yield* (yield* Payload.Payloads).removeErased(erasedOf(sealed))
        yield* Deferred.succeed(goOn, undefined)
        assert.strictEqual(yield* Fiber.join(reading), '{"a":1}')
        assert.deepInclude(yield* Effect.flip(open(sealed)), { reason: "erased" })
      }).pipe(
        Effect.provide(
          Layer.fresh(Payload.Payloads.layer).pipe(Layer.provide(Layer.succeed(EventReader, slow)))
        )
      )
    })
  )

  test(
    "report damaged if text, salt, size or hash differ from the event",
    Effect.gen(function* () {
      const sealed = yield* seal({ a: 1 })
      const text = '{"a":2}'
      for (const [index, record] of [
        { ...sealed, content: { _tag: "Inline", text } as const },
        { ...sealed, salt: "another" },
        { ...sealed, size: sealed.size + 1 },
        { ...sealed, hash: Payload.hash(sealed.salt, text), content: { _tag: "Inline", text } as const }
      ].entries()) {
        const name = `input${index}`
        yield* store({ ...record, name })
        assert.deepInclude(yield* Effect.flip(openAnew({ ...sealed, name })), {
          _tag: "PayloadUnavailable",
          reason: "damaged"
        })
      }
    })
  )

  test(
    "that are read ahead are opened without another read, except those that are erased, damaged or blobs",
    Effect.gen(function* () {
      const sealed = {
        intact: yield* seal({ a: 1 }, "intact"),
        erased: yield* seal({ a: 2 }, "erased"),
        damaged: yield* seal({ a: 3 }, "damaged"),
        blob: yield* seal(large, "blob")
      }
      yield* store(sealed.intact)
      yield* store({ ...sealed.damaged, content: { _tag: "Inline", text: '{"a":4}' } })
      yield* store(sealed.blob)
      const reader = yield* EventReader
      const read: Array<string> = []
      const watched = EventReader.of({
        ...reader,
        payload: (stream, name, hash) => {
          read.push(name)
          return reader.payload(stream, name, hash)
        }
      })
      yield* Effect.gen(function* () {
        const payloads = yield* Payload.Payloads
        for (const [name, payload] of Object.entries(sealed)) {
          yield* payloads.readAhead(name, new Map([[stream, Payload.refOf(payload)]]))
        }
        assert.strictEqual(yield* open(sealed.intact), '{"a":1}')
        assert.deepInclude(yield* Effect.flip(open(sealed.erased)), { reason: "erased" })
        assert.deepInclude(yield* Effect.flip(open(sealed.damaged)), { reason: "damaged" })
        assert.strictEqual(yield* open(sealed.blob), JSON.stringify(large))
        assert.deepStrictEqual(read, ["erased", "damaged", "blob"])
      }).pipe(
        Effect.provide(
          Layer.fresh(Payload.Payloads.layer).pipe(Layer.provide(Layer.succeed(EventReader, watched)))
        )
      )
    })
  )

  test(
    "report damaged if a blob was altered",
    Effect.gen(function* () {
      const blobs = yield* BlobStore
      const sealed = yield* seal(large)
      yield* store(sealed)
      const altered = JSON.stringify(large).replace("ä", "ö")
      if (sealed.content._tag === "Blob") yield* blobs.put(sealed.content.key, Buffer.from(altered))
      assert.deepInclude(yield* Effect.flip(openAnew(sealed)), { reason: "damaged" })
    })
  )

  test(
    "are returned as texts: a small one from memory, a large one as it is consumed",
    Effect.gen(function* () {
      const [small, big] = [yield* seal({ a: 1 }, "small"), yield* seal(large, "big")]
      for (const sealed of [small, big]) yield* store(sealed)
      assert.deepStrictEqual(yield* openText(small), new PayloadText.InlineText('{"a":1}'))
      const stored = yield* openText(big)
      assert.instanceOf(stored, PayloadText.StoredText)
      assert.strictEqual(stored.size, big.size)
      assert.strictEqual(yield* consumed(stored), JSON.stringify(large))
      // Each reader reads independently.
      assert.strictEqual(yield* consumed(stored), JSON.stringify(large))
    })
  )

  test(
    "break off before the last bytes of an altered text, and do not begin one of another length",
    Effect.gen(function* () {
      const blobs = yield* BlobStore
      const sealed = yield* seal(large)
      yield* store(sealed)
      const text = JSON.stringify(large)
      const replace = (text: string) =>
        sealed.content._tag === "Blob" ? blobs.put(sealed.content.key, Buffer.from(text)) : Effect.die(sealed)
      yield* replace(text.replace("ä", "ö"))
      const altered = yield* openText(sealed)
      let received = 0
      if (altered instanceof PayloadText.InlineText) return assert.fail("It is read as it is consumed")
      const end = yield* Effect.flip(
        Stream.runForEach(altered.chunks, ({ length }) => Effect.sync(() => void (received += length)))
      )
      assert.deepInclude(end, { _tag: "PayloadUnavailable", reason: "damaged" })
      assert.isBelow(received, sealed.size)
      yield* replace(`${text} `)
      assert.deepInclude(yield* Effect.flip(openText(sealed)), { reason: "damaged" })
      yield* erase(["input"])
      assert.deepInclude(yield* Effect.flip(openText(sealed)), { reason: "erased" })
    })
  )
})
