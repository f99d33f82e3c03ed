/** How clients upload and download files, by `BLOB_STORE` and `MEDIA_DELIVERY`: through us, or directly with S3. */
import { Effect, Layer } from "effect"
import * as LocalUploadStore from "./local/LocalUploadStore.ts"
import { MediaDelivery } from "./MediaDelivery.ts"
import { blobStore } from "#src/platform/blobs/BlobStorage.ts"
import { mediaDelivery } from "./MediaDeliverySetting.ts"
import type { S3Options } from "#src/platform/blobs/s3/S3Options.ts"

/** All bytes go through us. */
export const proxied = Layer.succeed(MediaDelivery, MediaDelivery.of({ urlOf: () => Effect.succeed(null) }))

/** Loaded only when used, because loading takes a while. */
const s3 = Effect.fnUntraced(function* (options: S3Options) {
  const [S3UploadStore, S3MediaDelivery, { S3Bucket }] = yield* Effect.promise(() =>
    Promise.all([
      import("./S3UploadStore.ts"),
      import("./S3MediaDelivery.ts"),
      import("#src/platform/blobs/s3/S3Bucket.ts")
    ])
  )
  const isRedirected = (yield* mediaDelivery.config) === "redirect"
  return Layer.merge(S3UploadStore.layerNoDeps, isRedirected ? S3MediaDelivery.layerNoDeps : proxied).pipe(
    Layer.provide(S3Bucket.layer(options))
  )
})

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const choice = yield* blobStore.config
    return choice._tag === "S3" ? yield* s3(choice.options) : Layer.merge(LocalUploadStore.layer, proxied)
  })
)
