import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Stream } from "effect"
import * as crypto from "node:crypto"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { BlobStore, BlobStoreError } from "#streams/BlobStore.ts"
import * as FileBlobStore from "#streams/FileBlobStore.ts"
import * as MemoryBlobStore from "#streams/MemoryBlobStore.ts"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as MediaServices from "#test/support/MediaServices.ts"

const mediaUrl = "https://media.example.com"
const urls = { queueUrl: mediaUrl, baseUrl: mediaUrl, mediaUrl, mcpUrl: mediaUrl }

const over = <E>(blobs: Layer.Layer<BlobStore, E>) =>
  MediaServices.layer.pipe(Layer.provideMerge(blobs), Layer.provide(PublicUrls.layerOf(urls)))

const memory = over(MemoryBlobStore.layer)

const file = {
  ...MediaServices.made,
  fileName: "cat.png",
  contentType: "image/png",
  body: Buffer.from("0123456789")
}

const textOf = (body: Stream.Stream<Uint8Array, BlobStoreError>) => Stream.mkString(Stream.decodeText(body))

const present = <A>(value: A | null): A => value ?? assert.fail("expected a file")

describe("MediaStore", () => {
  it.effect("stores bytes, name and type under an unguessable URL", () =>
    Effect.gen(function* () {
      const store = yield* MediaStore
      const media = yield* store.put(file)
      assert.match(media.url, /^https:\/\/media\.example\.com\/media\/[A-Za-z0-9_-]{24}\/cat\.png$/)
      assert.deepInclude(media, {
        accountId: file.maker.accountId,
        requestId: file.maker.requestId,
        fileName: "cat.png",
        contentType: "image/png",
        size: 10
      })
      assert.strictEqual(media.etag, `"${crypto.hash("sha256", "0123456789")}"`)
      const opened = present(yield* store.open(media.id))
      assert.deepStrictEqual(opened.media, media)
      assert.strictEqual(yield* textOf(opened.body), "0123456789")
      assert.notStrictEqual((yield* store.put(file)).id, media.id)
    }).pipe(Effect.provide(memory))
  )

  it.effect("returns the bytes of a range", () =>
    Effect.gen(function* () {
      const store = yield* MediaStore
      const { id } = yield* store.put(file)
      const opened = present(yield* store.open(id, { start: 2, length: 3 }))
      assert.strictEqual(yield* textOf(opened.body), "234")
      assert.strictEqual(opened.media.size, 10)
    }).pipe(Effect.provide(memory))
  )

  it.live("is the same for another process over the same directory", () =>
    Effect.gen(function* () {
      const root = yield* TempDirectory.make
      const open = <A, E>(use: Effect.Effect<A, E, MediaStore>) =>
        use.pipe(
          Effect.provide(
            MediaServices.onLog.pipe(
              Layer.provide([FileBlobStore.layer({ root, isShared: true }), SqliteEventStore.layer(root)]),
              Layer.provide(PublicUrls.layerOf(urls))
            ),
            { local: true }
          )
        )
      const media = yield* open(Effect.flatMap(MediaStore, (store) => store.put(file)))
      const found = yield* open(Effect.flatMap(MediaStore, (store) => store.open(media.id)))
      const { body, media: same } = present(found)
      assert.deepStrictEqual(same, media)
      assert.strictEqual(yield* textOf(body), "0123456789")
    })
  )

  it.effect("leaves nothing of a file whose body breaks off", () =>
    Effect.gen(function* () {
      const keys: Array<string> = []
      const blobs = yield* BlobStore
      const watched = BlobStore.of({
        ...blobs,
        put: (key, body) =>
          Effect.andThen(
            Effect.sync(() => keys.push(key)),
            blobs.put(key, body)
          )
      })
      const broken = Stream.concat(
        Stream.succeed(file.body),
        Stream.fail(new BlobStoreError({ reason: "broken off" }))
      )
      const failure = yield* Effect.flatMap(MediaStore, (store) => store.put({ ...file, body: broken })).pipe(
        Effect.provide(over(Layer.succeed(BlobStore, watched))),
        Effect.flip
      )
      assert.deepInclude(failure, { _tag: "BlobStoreError", reason: "broken off" })
      assert.isNotEmpty(keys)
      for (const key of keys) assert.isNull(yield* blobs.size(key))
    }).pipe(Effect.provide(MemoryBlobStore.layer))
  )

  it.effect("recognises its own URLs by their id alone", () =>
    Effect.gen(function* () {
      const store = yield* MediaStore
      const { id } = yield* store.put(file)
      for (const own of ["/cat.png", "/other.jpg?width=3#top", "", "/"]) {
        assert.deepStrictEqual(store.parseOwnUrl(`${mediaUrl}/media/${id}${own}`), Option.some(id))
      }
      for (const foreign of [
        `https://other.example.com/media/${id}/cat.png`,
        `http://media.example.com/media/${id}/cat.png`,
        `https://media.example.com.evil.example/media/${id}/cat.png`,
        `https://someone@media.example.com/media/${id}/cat.png`,
        `${mediaUrl}/files/${id}/cat.png`,
        `${mediaUrl}/media/${id}x/cat.png`,
        `${mediaUrl}/media/../media/x/cat.png`,
        "not a url"
      ]) {
        assert.deepStrictEqual(store.parseOwnUrl(foreign), Option.none(), foreign)
      }
    }).pipe(Effect.provide(memory))
  )
})
