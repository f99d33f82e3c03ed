import * as crypto from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import * as FilesProjection from "#projections/files/FilesProjection.ts"
import { DirectUploads } from "#src/features/files/DirectUploads.ts"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import * as S3BlobStore from "#src/platform/blobs/s3/S3BlobStore.ts"
import * as S3UploadStore from "#src/features/media/storage/S3UploadStore.ts"
import * as Library from "#test/support/src/features/files/Library.ts"
import * as TestNode from "#test/support/TestNode.ts"
import * as TestBucket from "#test/support/src/platform/blobs/s3/TestBucket.ts"

const services = TestBucket.provide((options) =>
  TestNode.nodeLayer({
    dispatches: false,
    uploads: S3UploadStore.layer(options),
    projections: [FilesProjection.projection]
  }).pipe(Layer.provideMerge(S3BlobStore.layer(options).pipe(Layer.provideMerge(TestNode.storeLayer))))
)

describe("DirectUploads over S3", () => {
  it.live.each<readonly [string, number]>([
    ["that fits one part", 1_000],
    ["of several parts", 9 * 1024 * 1024]
  ])("stores a file %s, and finds it again", ([_case, size]) =>
    Effect.gen(function* () {
      const bytes = crypto.randomBytes(size)
      const file = yield* (yield* DirectUploads).store({
        caller: Library.alice,
        fileName: "a.bin",
        contentType: "application/octet-stream",
        size,
        body: Stream.succeed(bytes)
      })
      assert.strictEqual(file.sha256, crypto.hash("sha256", bytes))
      // A reader that finds other bytes than recorded reports it.
      const opened = yield* (yield* MediaStore).open(file.fileId)
      assert.strictEqual(opened?.media.size, size)
      assert.deepInclude(yield* Library.get(file.fileId), { size, sha256: file.sha256, status: "uploaded" })
      assert.deepStrictEqual(yield* Library.typesOf(file.fileId), ["UploadInitiated", "UploadCompleted"])
      yield* Library.remove(file.fileId)
      assert.strictEqual(yield* Library.read(file.fileId), "gone")
      assert.deepStrictEqual(yield* Library.blobsOf(file.fileId), [])
    }).pipe(Effect.provide(services))
  )
})
