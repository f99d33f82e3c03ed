import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { type FileId, RequestId } from "#domain/Ids.ts"
import { FileActors } from "#src/features/media/storage/FileActors.ts"
import type { NewMedia } from "#src/features/media/Media.ts"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import * as MediaUrl from "#src/features/media/MediaUrl.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { BlobStore, BlobStoreError } from "#streams/BlobStore.ts"
import { EventReader, EventStoreError } from "#streams/EventReader.ts"
import { EventStore, withAppend } from "#streams/EventStore.ts"
import * as MemoryBlobStore from "#streams/MemoryBlobStore.ts"
import { Payloads } from "#streams/Payload.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as MediaServices from "#test/support/MediaServices.ts"

const mediaUrl = "https://media.example.com"
const urls = PublicUrls.layerOf({ queueUrl: mediaUrl, baseUrl: mediaUrl, mediaUrl, mcpUrl: mediaUrl })
const memory = MediaServices.layer.pipe(Layer.provideMerge(Layer.merge(MemoryBlobStore.layer, urls)))

const file = {
  ...MediaServices.made,
  fileName: "cat.png",
  contentType: "image/png",
  body: Buffer.from("0123456789")
} satisfies NewMedia

const broken = new BlobStoreError({ reason: "broken off" })

const bytesOf = Effect.fnUntraced(function* (id: FileId) {
  const opened = yield* Effect.fromNullishOr(yield* (yield* MediaStore).open(id))
  return Buffer.from(yield* Stream.mkUint8Array(opened.body)).toString()
})

const typesOf = Effect.fnUntraced(function* (id: FileId) {
  const events = yield* (yield* EventReader).read(StreamName.make("File", id))
  return events.map(({ type }) => type)
})

const removed = Effect.fnUntraced(function* () {
  const store = yield* MediaStore
  const { id } = yield* store.put(file)
  yield* store.remove(id, "requested")
  return id
})

/** Runs an effect over a store and a log that stop changing at the nth change, as after a crash. */
const crashingAt = Effect.fnUntraced(function* <A, E>(
  change: number,
  effect: Effect.Effect<A, E, MediaStore>
) {
  const blobs = yield* BlobStore
  const log = yield* EventStore
  let changes = 0
  const isCrashed = () => ++changes >= change
  const unlessCrashed = <B>(change_: Effect.Effect<B, BlobStoreError>) =>
    Effect.suspend(() => (isCrashed() ? Effect.fail(broken) : change_))
  const services = Layer.mergeAll(
    Layer.succeed(
      BlobStore,
      BlobStore.of({
        ...blobs,
        put: (key, body) => unlessCrashed(blobs.put(key, body)),
        remove: (key) => unlessCrashed(blobs.remove(key))
      })
    ),
    Layer.succeed(
      EventStore,
      withAppend(log, (append) =>
        Effect.suspend(() =>
          isCrashed() ? Effect.fail(new EventStoreError({ reason: "crashed" })) : log.append(append)
        )
      )
    )
  )
  const crashing = Layer.fresh(MediaServices.store).pipe(
    Layer.provide(Layer.fresh(Layer.merge(FileActors.layer, Payloads.layer))),
    Layer.provide(services)
  )
  return yield* Effect.exit(effect).pipe(Effect.provide(crashing))
})

const put = (put: NewMedia) => Effect.flatMap(MediaStore, (store) => store.put(put))
const remove = (id: FileId) => Effect.flatMap(MediaStore, (store) => store.remove(id, "requested"))

describe("MediaStore with a given id", () => {
  it.effect("preserves the request, and replaces the whole content", () =>
    Effect.gen(function* () {
      const store = yield* MediaStore
      const id = MediaUrl.makeId()
      const media = yield* put({ ...file, id })
      assert.deepInclude(media, { id, requestId: file.maker.requestId })
      assert.deepStrictEqual(yield* store.find(id), media)
      const requestId = RequestId.make("rq9876543210987654321")
      const other = { fileName: "dog.gif", contentType: "image/gif", body: Buffer.from("abc") }
      yield* put({ ...file, ...other, id, maker: { ...file.maker, requestId } })
      assert.deepInclude(yield* store.find(id), {
        requestId,
        fileName: "dog.gif",
        contentType: "image/gif",
        size: 3
      })
      assert.strictEqual(yield* bytesOf(id), "abc")
    }).pipe(Effect.provide(memory))
  )

  it.effect.each([1, 2])("a crash at change %i and a repeat leave one file", (change) =>
    Effect.gen(function* () {
      const id = MediaUrl.makeId()
      const exit = yield* crashingAt(change, put({ ...file, id }))
      assert.strictEqual(exit._tag, "Failure")
      assert.isNull(yield* (yield* MediaStore).find(id))
      yield* put({ ...file, id })
      assert.strictEqual(yield* bytesOf(id), "0123456789")
      assert.deepStrictEqual(yield* typesOf(id), ["OutputStored"])
    }).pipe(Effect.provide(memory))
  )

  it.effect("records a file once that is stored twice", () =>
    Effect.gen(function* () {
      const id = MediaUrl.makeId()
      yield* put({ ...file, id })
      yield* put({ ...file, id })
      assert.deepStrictEqual(yield* typesOf(id), ["OutputStored"])
    }).pipe(Effect.provide(memory))
  )

  it.effect("preserves the previous file when a put fails, without a tombstone", () =>
    Effect.gen(function* () {
      const store = yield* MediaStore
      const id = MediaUrl.makeId()
      const cutOff = { ...file, id, body: Stream.concat(Stream.succeed(file.body), Stream.fail(broken)) }
      yield* Effect.flip(put(cutOff))
      assert.isNull(yield* store.find(id))
      yield* put({ ...file, id })
      yield* Effect.flip(put(cutOff))
      assert.strictEqual(yield* bytesOf(id), "0123456789")
    }).pipe(Effect.provide(memory))
  )

  it.effect("preserves bytes that another node is about to record when a put fails", () =>
    Effect.gen(function* () {
      const id = MediaUrl.makeId()
      const blobs = yield* BlobStore
      yield* blobs.put(`media/${id}`, file.body)
      yield* Effect.flip(put({ ...file, id, body: Stream.fail(broken) }))
      assert.strictEqual(yield* blobs.size(`media/${id}`), 10)
    }).pipe(Effect.provide(memory))
  )
})

describe("MediaStore.remove", () => {
  it.effect("distinguishes a removed file from one that never existed", () =>
    Effect.gen(function* () {
      const store = yield* MediaStore
      const id = yield* removed()
      assert.strictEqual((yield* Effect.flip(store.find(id)))._tag, "MediaGone")
      assert.strictEqual((yield* Effect.flip(store.open(id)))._tag, "MediaGone")
      const unknown = MediaUrl.makeId()
      assert.isNull(yield* store.find(unknown))
      assert.isNull(yield* store.open(unknown))
    }).pipe(Effect.provide(memory))
  )

  it.effect("deletes bytes without an event, and their writer fails", () =>
    Effect.gen(function* () {
      const id = MediaUrl.makeId()
      yield* (yield* BlobStore).put(`media/${id}`, Buffer.from("half a file"))
      yield* remove(id)
      assert.isNull(yield* (yield* BlobStore).get(`media/${id}`))
      yield* Effect.flip(put({ ...file, id }))
      assert.isNull(yield* (yield* BlobStore).get(`media/${id}`))
    }).pipe(Effect.provide(memory))
  )

  it.effect("records that nothing is left, also when repeated", () =>
    Effect.gen(function* () {
      const id = yield* removed()
      const events = ["OutputStored", "FileDeleted", "BytesRemoved"]
      assert.deepStrictEqual(yield* typesOf(id), events)
      assert.isNull(yield* (yield* BlobStore).get(`media/${id}`))
      yield* remove(id)
      assert.deepStrictEqual(yield* typesOf(id), events)
    }).pipe(Effect.provide(memory))
  )

  it.effect("a removed file stays removed when its writer is late", () =>
    Effect.gen(function* () {
      const id = yield* removed()
      yield* Effect.flip(put({ ...file, id }))
      assert.strictEqual((yield* Effect.flip((yield* MediaStore).open(id)))._tag, "MediaGone")
      assert.isNull(yield* (yield* BlobStore).get(`media/${id}`))
    }).pipe(Effect.provide(memory))
  )

  it.effect("a crash before the first change leaves the file unchanged", () =>
    Effect.gen(function* () {
      const { id } = yield* put(file)
      yield* crashingAt(1, remove(id))
      assert.strictEqual(yield* bytesOf(id), "0123456789")
    }).pipe(Effect.provide(memory))
  )

  it.effect("after a crash in the middle nothing is readable, and the sweep deletes every byte", () =>
    Effect.gen(function* () {
      const store = yield* MediaStore
      const blobs = yield* BlobStore
      const { id } = yield* put(file)
      assert.strictEqual((yield* crashingAt(2, remove(id)))._tag, "Failure")
      yield* (yield* FileActors).refresh(id)
      assert.strictEqual((yield* Effect.flip(store.open(id)))._tag, "MediaGone")
      assert.isNotNull(yield* blobs.get(`media/${id}`))
      yield* store.sweep(id)
      assert.isNull(yield* blobs.get(`media/${id}`))
      assert.deepStrictEqual(yield* typesOf(id), ["OutputStored", "FileDeleted", "BytesRemoved"])
    }).pipe(Effect.provide(memory))
  )
})

describe("MediaStore.sweep", () => {
  it.effect("does not delete a file before its expiry", () =>
    Effect.gen(function* () {
      const { id } = yield* put(file)
      yield* (yield* MediaStore).sweep(id)
      assert.strictEqual(yield* bytesOf(id), "0123456789")
    }).pipe(Effect.provide(memory))
  )

  it.effect("removes an expired medium, which could not be read before either", () =>
    Effect.gen(function* () {
      const store = yield* MediaStore
      const { id } = yield* put({ ...file, maker: { ...file.maker, submittedAt: -30 * 86_400_000 } })
      assert.strictEqual((yield* Effect.flip(store.find(id)))._tag, "MediaGone")
      yield* store.sweep(id)
      assert.isNull(yield* (yield* BlobStore).get(`media/${id}`))
      assert.deepStrictEqual(yield* typesOf(id), ["OutputStored", "FileExpired", "BytesRemoved"])
    }).pipe(Effect.provide(memory))
  )
})
