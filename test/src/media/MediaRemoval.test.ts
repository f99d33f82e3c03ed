import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { RequestId } from "#domain/Ids.ts"
import { MediaStore } from "#src/media/MediaStore.ts"
import * as MediaUrl from "#src/media/MediaUrl.ts"
import { PublicUrls } from "#src/PublicUrls.ts"
import { BlobStore, BlobStoreError } from "#streams/BlobStore.ts"
import * as MemoryBlobStore from "#streams/MemoryBlobStore.ts"

const mediaUrl = "https://media.example.com"
const urls = { queueUrl: mediaUrl, baseUrl: mediaUrl, mediaUrl, mcpUrl: mediaUrl }
const storeLayer = MediaStore.layer.pipe(Layer.provide(PublicUrls.layerOf(urls)))
const memory = storeLayer.pipe(Layer.provideMerge(MemoryBlobStore.layer))

const file = { fileName: "cat.png", contentType: "image/png", body: Buffer.from("0123456789") }
const requestId = RequestId.make("rq0123456789012345678")
const broken = new BlobStoreError({ reason: "broken off" })

const bytesOf = Effect.fnUntraced(function* (id: MediaUrl.MediaId) {
  const opened = yield* Effect.fromNullishOr(yield* (yield* MediaStore).open(id))
  return Buffer.from(yield* Stream.mkUint8Array(opened.body)).toString()
})

const textOf = Effect.fnUntraced(function* (key: string) {
  const blob = yield* Effect.fromNullishOr(yield* (yield* BlobStore).get(key))
  return yield* Stream.mkString(Stream.decodeText(blob.body))
})

const removed = Effect.fnUntraced(function* () {
  const store = yield* MediaStore
  const { id } = yield* store.put({ ...file, requestId })
  yield* store.remove(id)
  return id
})

/** Does something over a store that from its nth change on changes nothing, as after a crash. */
const crashingAt = <A, E>(change: number, effect: Effect.Effect<A, E, MediaStore>) =>
  Effect.gen(function* () {
    const blobs = yield* BlobStore
    let changes = 0
    const unlessCrashed = <B>(change_: Effect.Effect<B, BlobStoreError>) =>
      Effect.suspend(() => (++changes >= change ? Effect.fail(broken) : change_))
    const crashing = BlobStore.of({
      ...blobs,
      put: (key, body) => unlessCrashed(blobs.put(key, body)),
      remove: (key) => unlessCrashed(blobs.remove(key))
    })
    return yield* Effect.exit(effect).pipe(
      Effect.provide(Layer.fresh(storeLayer).pipe(Layer.provide(Layer.succeed(BlobStore, crashing))))
    )
  })

const put = (put: Parameters<MediaStore["Service"]["put"]>[0]) =>
  Effect.flatMap(MediaStore, (store) => store.put(put))

describe("MediaStore under an id chosen beforehand", () => {
  it.effect("keeps the request, and replaces what was there whole", () =>
    Effect.gen(function* () {
      const store = yield* MediaStore
      const id = MediaUrl.makeId()
      const media = yield* put({ ...file, id, requestId })
      assert.deepInclude(media, { id, requestId })
      assert.deepStrictEqual(yield* store.find(id), media)
      yield* put({ id, fileName: "dog.gif", contentType: "image/gif", body: Buffer.from("abc") })
      const found = yield* store.find(id)
      assert.deepInclude(found, { fileName: "dog.gif", contentType: "image/gif", size: 3 })
      assert.isUndefined(found?.requestId)
      assert.strictEqual(yield* bytesOf(id), "abc")
    }).pipe(Effect.provide(memory))
  )

  it.effect.each([1, 2])("a crash at change %i and a repeat leave one file", (change) =>
    Effect.gen(function* () {
      const id = MediaUrl.makeId()
      yield* crashingAt(change, put({ ...file, id }))
      assert.isNull(yield* (yield* MediaStore).find(id))
      yield* put({ ...file, id })
      assert.strictEqual(yield* bytesOf(id), "0123456789")
    }).pipe(Effect.provide(memory))
  )

  it.effect("a put that fails leaves the file that was there, and no tombstone", () =>
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
})

describe("MediaStore.remove", () => {
  it.effect("tells a removed file from one that never was", () =>
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

  it.effect("takes bytes that have no record yet, and their writer comes too late", () =>
    Effect.gen(function* () {
      const id = MediaUrl.makeId()
      yield* (yield* BlobStore).put(`media/${id}`, Buffer.from("half a file"))
      yield* (yield* MediaStore).remove(id)
      assert.isNull(yield* (yield* BlobStore).get(`media/${id}`))
      yield* Effect.flip(put({ ...file, id }))
      assert.isNull(yield* (yield* BlobStore).get(`media/${id}`))
    }).pipe(Effect.provide(memory))
  )

  it.effect("keeps the time and nothing of the file, also when it is repeated", () =>
    Effect.gen(function* () {
      const id = yield* removed()
      const tombstone = yield* textOf(`media/${id}.json`)
      assert.strictEqual(tombstone, '{"removedAt":"1970-01-01T00:00:00.000Z"}')
      assert.isNull(yield* (yield* BlobStore).get(`media/${id}`))
      yield* (yield* MediaStore).remove(id)
      assert.strictEqual(yield* textOf(`media/${id}.json`), tombstone)
    }).pipe(Effect.provide(memory))
  )

  it.effect("a removed file stays removed when its writer comes late", () =>
    Effect.gen(function* () {
      const id = yield* removed()
      yield* Effect.flip(put({ ...file, id }))
      assert.strictEqual((yield* Effect.flip((yield* MediaStore).open(id)))._tag, "MediaGone")
      assert.isNull(yield* (yield* BlobStore).get(`media/${id}`))
    }).pipe(Effect.provide(memory))
  )

  it.effect("a crash before the first change leaves the file as it was", () =>
    Effect.gen(function* () {
      const { id } = yield* put(file)
      yield* crashingAt(
        1,
        Effect.flatMap(MediaStore, (store) => store.remove(id))
      )
      assert.strictEqual(yield* bytesOf(id), "0123456789")
    }).pipe(Effect.provide(memory))
  )

  it.effect("after a crash in the middle nothing can be read, and the repeat forgets no byte", () =>
    Effect.gen(function* () {
      const store = yield* MediaStore
      const blobs = yield* BlobStore
      const { id } = yield* put(file)
      const exit = yield* crashingAt(
        2,
        Effect.flatMap(MediaStore, (store) => store.remove(id))
      )
      assert.strictEqual(exit._tag, "Failure")
      assert.strictEqual((yield* Effect.flip(store.open(id)))._tag, "MediaGone")
      assert.isNotNull(yield* blobs.get(`media/${id}`))
      yield* store.remove(id)
      assert.isNull(yield* blobs.get(`media/${id}`))
    }).pipe(Effect.provide(memory))
  )
})
