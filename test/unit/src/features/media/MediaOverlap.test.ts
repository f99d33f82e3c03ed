import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Stream } from "effect"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import * as MediaUrl from "#src/features/media/MediaUrl.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import * as MemoryBlobStore from "#streams/MemoryBlobStore.ts"
import * as MediaServices from "#test/support/MediaServices.ts"

const mediaUrl = "https://media.example.com"
const urls = { queueUrl: mediaUrl, baseUrl: mediaUrl, mediaUrl, mcpUrl: mediaUrl }
const memory = MediaServices.layer.pipe(
  Layer.provide(PublicUrls.layerOf(urls)),
  Layer.provideMerge(MemoryBlobStore.layer)
)

describe("MediaStore.remove during a put", () => {
  it.effect("wins: the file and its bytes are deleted", () =>
    Effect.gen(function* () {
      const store = yield* MediaStore
      const blobs = yield* BlobStore
      const id = MediaUrl.makeId()
      const isUnderWay = yield* Deferred.make<void>()
      const goOn = yield* Deferred.make<void>()
      const body = Stream.concat(
        Stream.succeed(Buffer.from("01234")),
        Stream.fromEffect(
          Deferred.succeed(isUnderWay, undefined).pipe(
            Effect.andThen(Deferred.await(goOn)),
            Effect.as(Buffer.from("56789"))
          )
        )
      )
      const putting = yield* Effect.forkChild(
        store.put({ ...MediaServices.made, id, fileName: "cat.png", contentType: "image/png", body })
      )
      yield* Deferred.await(isUnderWay)
      yield* store.remove(id, "discarded")
      yield* Deferred.succeed(goOn, undefined)
      yield* Effect.flip(Fiber.join(putting))
      assert.strictEqual((yield* Effect.flip(store.find(id)))._tag, "MediaGone")
      assert.isNull(yield* blobs.get(`media/${id}`))
    }).pipe(Effect.provide(memory))
  )
})
