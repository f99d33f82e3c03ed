/** A blob store without room for files with one text: a fault of our own storage. */
import { Effect, Layer, Stream } from "effect"
import { BlobStore, BlobStoreError } from "#streams/BlobStore.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { unstored } from "./Offers.ts"

const noRoom = new BlobStoreError({ reason: "There is no room for it", isFull: true })

export const layer = Layer.effect(
  BlobStore,
  Effect.map(BlobStore, (blobs) => {
    const put: BlobStore["Service"]["put"] = Effect.fnUntraced(function* (key, body) {
      if (body instanceof Uint8Array || !key.startsWith("media/")) return yield* blobs.put(key, body)
      const bytes = yield* Stream.mkUint8Array(body)
      if (Buffer.from(bytes).toString() === unstored) return yield* noRoom
      return yield* blobs.put(key, bytes)
    })
    return BlobStore.of({ ...blobs, put })
  })
).pipe(Layer.provideMerge(TestNode.storeLayer))
