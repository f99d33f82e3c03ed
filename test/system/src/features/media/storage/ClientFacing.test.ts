import { assert, describe, it } from "@effect/vitest"
import { Clock, ConfigProvider, Effect, Layer, Schema } from "effect"
import { FileId } from "#domain/Ids.ts"
import { MediaDelivery } from "#src/features/media/storage/MediaDelivery.ts"
import { UploadStore } from "#src/features/media/storage/UploadStore.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import * as ClientFacing from "#src/features/media/storage/ClientFacing.ts"
import * as MemoryBlobStore from "#streams/MemoryBlobStore.ts"
import * as S3Programs from "#test/support/servers/S3Programs.ts"
import * as S3Server from "#test/support/servers/S3Server.ts"
import * as TestBucket from "#test/support/src/platform/blobs/s3/TestBucket.ts"

const id = Schema.decodeSync(FileId)("abcdefghijklmnopqrstuv_-")

const local = Layer.mergeAll(
  MemoryBlobStore.layer,
  MasterKey.layerOf(Buffer.alloc(32, 1)),
  PublicUrls.layerOf({
    queueUrl: "http://127.0.0.1:1",
    baseUrl: "http://127.0.0.1:1",
    mediaUrl: "http://127.0.0.1:1",
    mcpUrl: "http://127.0.0.1:1"
  })
)

/** The addresses to which clients upload, and from which they download. */
const addresses = (values: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const store = yield* UploadStore
    const delivery = yield* MediaDelivery
    const target = { id, fileName: "a.txt", contentType: "text/plain", size: null }
    const file = { id, method: "GET", contentType: "text/plain", disposition: "attachment" } as const
    const put = yield* store.putUrl(target, { expiresAt: (yield* Clock.currentTimeMillis) + 60_000 })
    const get = yield* delivery.urlOf(file)
    return { isDirect: store.isDirect, put: new URL(put).origin, get: get && new URL(get).origin }
  }).pipe(
    Effect.provide(
      ClientFacing.layer.pipe(
        Layer.provide(local),
        Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(values)))
      )
    )
  )

describe("ClientFacing", () => {
  it.live.each([{}, { MEDIA_DELIVERY: "redirect" }])("is this server without S3: %o", (values) =>
    Effect.gen(function* () {
      const here = { isDirect: false, put: "http://127.0.0.1:1", get: null }
      assert.deepStrictEqual(yield* addresses(values), here)
    })
  )
})

describe.skipIf(S3Programs.isMissing)(S3Programs.named("ClientFacing on S3"), () => {
  it.live("sends uploads to S3, and downloads only when they are redirected", () =>
    Effect.gen(function* () {
      const server = yield* S3Server.shared
      const { bucket } = yield* TestBucket.options()
      const settings = { BLOB_STORE: S3Server.blobStore(server, bucket) }
      const there = { isDirect: true, put: server.url, get: null }
      assert.deepStrictEqual(yield* addresses(settings), there)
      assert.deepStrictEqual(yield* addresses({ ...settings, MEDIA_DELIVERY: "proxy" }), there)
      assert.deepStrictEqual(yield* addresses({ ...settings, MEDIA_DELIVERY: "redirect" }), {
        ...there,
        get: server.url
      })
    })
  )
})
