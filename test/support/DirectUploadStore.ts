/**
 * A store in memory that receives uploads directly from clients, as S3 does. The server must look to find out what
 * has arrived.
 */
import * as crypto from "node:crypto"
import { Effect, Layer, Stream } from "effect"
import type { FileId } from "#domain/Ids.ts"
import * as FileKeys from "#src/features/media/storage/FileKeys.ts"
import { PartsRefused, UploadStore } from "#src/features/media/storage/UploadStore.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import * as MemoryBlobStore from "#streams/MemoryBlobStore.ts"

const md5 = (bytes: Uint8Array): string => crypto.hash("md5", bytes)

/** Adds ETags to the blobs of the layer below. */
const withEtags = Layer.effect(
  BlobStore,
  Effect.map(BlobStore, (blobs) => {
    const get: BlobStore["Service"]["get"] = Effect.fnUntraced(function* (key, range) {
      const whole = yield* blobs.get(key)
      const blob = yield* blobs.get(key, range)
      if (whole === null || blob === null) return null
      return { ...blob, etag: md5(yield* Stream.mkUint8Array(whole.body)) }
    })
    return BlobStore.of({ ...blobs, get })
  })
)

/** For the nodes of one test, which share it. */
export const make = () => {
  const parts = new Map<string, Map<number, Uint8Array>>()
  const types = new Map<FileId, string>()
  let looks = 0
  let assembled = 0
  let whenAssembled: Effect.Effect<void> = Effect.void

  const partsOf = (uploadId: string) =>
    [...(parts.get(uploadId) ?? [])]
      .sort(([a], [b]) => a - b)
      .map(([partNumber, bytes]) => ({ partNumber, etag: md5(bytes), size: bytes.length }))

  const uploads = Layer.effect(
    UploadStore,
    Effect.map(BlobStore, (blobs) => {
      const assemble: UploadStore["Service"]["assemble"] = Effect.fnUntraced(
        function* (id, uploadId, wanted) {
          const found = parts.get(uploadId)
          const bytes = wanted.flatMap(({ partNumber }) => found?.get(partNumber) ?? [])
          if (bytes.length < wanted.length) {
            const partNumbers = wanted.map(({ partNumber }) => partNumber)
            return yield* new PartsRefused({ reason: "missing", partNumbers })
          }
          const whole = Buffer.concat(bytes)
          yield* blobs.put(FileKeys.whole(id), whole)
          parts.delete(uploadId)
          assembled++
          yield* whenAssembled
          return { size: whole.length, etag: md5(whole), sha256: null }
        }
      )

      const look = Effect.fnUntraced(function* (id: FileId) {
        looks++
        const blob = yield* blobs.get(FileKeys.whole(id))
        const stored = blob && { size: blob.size, etag: blob.etag ?? "", sha256: null }
        return stored && { stored, contentType: types.get(id) }
      })

      return UploadStore.of({
        isDirect: true,
        putUrl: ({ id }) => Effect.succeed(`https://store.test/${id}`),
        begin: () => Effect.sync(() => crypto.randomUUID()),
        partUrl: (_, { partNumber, uploadId }) =>
          Effect.succeed(`https://store.test/${uploadId}/${partNumber}`),
        tidy: () => Effect.void,
        parts: (_, uploadId) => Effect.sync(() => partsOf(uploadId)),
        assemble,
        look,
        remove: (id, uploadId) =>
          Effect.suspend(() => {
            if (uploadId !== null) parts.delete(uploadId)
            return blobs.remove(FileKeys.whole(id))
          })
      })
    })
  )

  return {
    /** For each node. */
    uploads,
    /** Replaces existing bytes and their type. */
    put: (id: FileId, bytes: string, contentType?: string) =>
      Effect.flatMap(BlobStore, (blobs) => {
        if (contentType === undefined) types.delete(id)
        else types.set(id, contentType)
        return Effect.orDie(blobs.put(FileKeys.whole(id), Buffer.from(bytes)))
      }),
    /** Returns the ETag. */
    putPart: (uploadId: string, partNumber: number, bytes: Uint8Array): string => {
      parts.set(uploadId, (parts.get(uploadId) ?? new Map()).set(partNumber, bytes))
      return md5(bytes)
    },
    /** The number of looks for arrived bytes. */
    looks: () => looks,
    /** The number of times that parts were combined. */
    assembled: () => assembled,
    /** Runs after parts are combined and before the result is returned. */
    whenAssembled: (effect: Effect.Effect<void>) => void (whenAssembled = effect),
    /** Multipart uploads with stored parts. */
    begun: () => parts.size
  }
}

/** The state that all nodes of a test share. */
export const blobs = withEtags.pipe(Layer.provide(MemoryBlobStore.layer))
