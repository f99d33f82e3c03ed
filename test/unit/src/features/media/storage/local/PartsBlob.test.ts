import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import * as fc from "fast-check"
import { FileId } from "#domain/Ids.ts"
import * as FileKeys from "#src/features/media/storage/FileKeys.ts"
import * as PartsBlob from "#src/features/media/storage/local/PartsBlob.ts"
import * as MediaUrl from "#src/features/media/MediaUrl.ts"
import { BlobStore, BlobStoreError } from "#streams/BlobStore.ts"
import * as FileBlobStore from "#streams/FileBlobStore.ts"
import * as Puts from "#test/support/src/features/media/storage/local/Puts.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const onDisk = TempDirectory.provide((directory) => FileBlobStore.layer({ root: directory, isShared: false }))

/** A file in parts of those sizes, and its bytes. */
const stored = Effect.fnUntraced(function* (sizes: ReadonlyArray<number>) {
  const blobs = yield* BlobStore
  const id = FileId.make(MediaUrl.makeId())
  const parts = sizes.map((size, index) => ({ name: `part-${index}`, bytes: Puts.pattern(size, index) }))
  for (const { bytes, name } of parts) yield* blobs.put(`${FileKeys.partsFolder(id)}/${name}`, bytes)
  const etag = "d41d8cd98f00b204e9800998ecf8427e-1"
  const manifest = { parts: parts.map(({ bytes, name }) => ({ name, size: bytes.length })) }
  yield* blobs.put(PartsBlob.manifestKey({ id, etag }), Buffer.from(JSON.stringify(manifest)))
  return { file: { id, etag }, bytes: Buffer.concat(parts.map(({ bytes }) => bytes)) }
})

describe("PartsBlob", () => {
  it.live(
    "reads every range as if the parts were one blob",
    () =>
      Effect.gen(function* () {
        const blobs = yield* BlobStore
        const context = yield* Effect.context<BlobStore>()
        const files = fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 12 })
        const ranges = fc.array(
          fc.record({
            start: fc.integer({ min: 0, max: 2_000 }),
            length: fc.integer({ min: 0, max: 2_000 })
          }),
          { minLength: 1, maxLength: 20 }
        )
        // On failure it prints the seed.
        yield* Effect.promise(() =>
          fc.assert(
            fc.asyncProperty(files, ranges, (sizes, ranges) =>
              Effect.runPromiseWith(context)(
                Effect.gen(function* () {
                  const { bytes, file } = yield* stored(sizes)
                  for (const range of [undefined, ...ranges]) {
                    const blob = yield* PartsBlob.open(blobs, file, range)
                    assert.strictEqual(blob?.size, bytes.length)
                    const read = yield* Stream.mkUint8Array(blob?.body ?? Stream.empty)
                    const { length, start } = range ?? { start: 0, length: bytes.length }
                    assert.isTrue(bytes.subarray(start, start + length).equals(read))
                  }
                })
              )
            ),
            { numRuns: 50 }
          )
        )
      }).pipe(Effect.provide(onDisk)),
    60_000
  )

  it.live("finds nothing of a file without a manifest, and rejects an invalid range", () =>
    Effect.gen(function* () {
      const blobs = yield* BlobStore
      assert.isNull(yield* PartsBlob.open(blobs, { id: MediaUrl.makeId(), etag: "etag-1" }))
      const { file } = yield* stored([1, 2])
      assert.instanceOf(
        yield* Effect.flip(PartsBlob.open(blobs, file, { start: -1, length: 1 })),
        BlobStoreError
      )
    }).pipe(Effect.provide(onDisk))
  )

  it.live("fails instead of ending early when a part is missing, and reads the others", () =>
    Effect.gen(function* () {
      const blobs = yield* BlobStore
      const { bytes, file } = yield* stored([10, 20, 30])
      yield* blobs.remove(`${FileKeys.partsFolder(file.id)}/part-1`)
      const all = yield* PartsBlob.open(blobs, file)
      assert.instanceOf(yield* Effect.flip(Stream.runDrain(all?.body ?? Stream.empty)), BlobStoreError)
      const last = yield* PartsBlob.open(blobs, file, { start: 30, length: 30 })
      const read = yield* Stream.mkUint8Array(last?.body ?? Stream.empty)
      assert.isTrue(bytes.subarray(30).equals(read))
    }).pipe(Effect.provide(onDisk))
  )
})
