/** Blobs in memory for tests, with the same contract. Nothing survives the process. */
import { Effect, Layer, Stream } from "effect"
import * as BlobKey from "./BlobKey.ts"
import * as BlobRange from "./BlobRange.ts"
import { BlobStore } from "./BlobStore.ts"

export const layer = Layer.sync(BlobStore, () => {
  const blobs = new Map<string, Uint8Array>()

  const put = Effect.fn("MemoryBlobStore.put")(function* (
    key: string,
    body: Parameters<BlobStore["Service"]["put"]>[1]
  ) {
    yield* BlobKey.check(key)
    const bytes = body instanceof Uint8Array ? body.slice() : yield* Stream.mkUint8Array(body)
    blobs.set(key, bytes)
    return bytes.length
  })

  const get = Effect.fn("MemoryBlobStore.get")(function* (key: string, range?: BlobRange.BlobRange) {
    const bytes = blobs.get(yield* BlobKey.check(key))
    if (bytes === undefined) return null
    const { start, length } = yield* BlobRange.within(bytes.length, range)
    return { size: bytes.length, body: Stream.make(bytes.slice(start, start + length)) }
  })

  const size = Effect.fn("MemoryBlobStore.size")(function* (key: string) {
    return blobs.get(yield* BlobKey.check(key))?.length ?? null
  })

  const remove = Effect.fn("MemoryBlobStore.remove")(function* (key: string) {
    blobs.delete(yield* BlobKey.check(key))
  })

  const list: BlobStore["Service"]["list"] = (folder) =>
    Stream.fromIterableEffect(
      Effect.map(BlobKey.check(folder), () =>
        Array.from(blobs, ([key, { length }]) => ({ key, size: length }))
          .filter(({ key }) => key.slice(0, key.lastIndexOf("/")) === folder)
          .sort((a, b) => (a.key < b.key ? -1 : 1))
      )
    )

  return BlobStore.of({ put, get, size, remove, list })
})
