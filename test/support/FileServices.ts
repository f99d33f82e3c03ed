/** The services of the file routes, beside requests, accounts and media. Clients upload to this server. */
import { Effect, Layer } from "effect"
import { Files } from "#projections/files/Files.ts"
import { AssetLibrary } from "#src/features/files/AssetLibrary.ts"
import { DirectUploads } from "#src/features/files/DirectUploads.ts"
import { FileSweep } from "#src/features/files/FileSweep.ts"
import * as LocalReception from "#src/features/media/storage/local/LocalReception.ts"
import { MediaDelivery } from "#src/features/media/storage/MediaDelivery.ts"
import { StorageQuota } from "#src/features/media/storage/StorageQuota.ts"
import { Uploads } from "#src/features/files/Uploads.ts"

const streamed = Layer.succeed(MediaDelivery, MediaDelivery.of({ urlOf: () => Effect.succeed(null) }))

export const layer = Layer.mergeAll(
  Uploads.layer,
  DirectUploads.layer,
  LocalReception.layer,
  AssetLibrary.layer,
  FileSweep.layer
).pipe(Layer.provideMerge(Layer.mergeAll(StorageQuota.layer, streamed)), Layer.provideMerge(Files.layer))
