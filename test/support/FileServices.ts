/** What the routes of files need beside requests, accounts and media: clients bring bytes to us. */
import { Effect, Layer } from "effect"
import { Files } from "#projections/files/Files.ts"
import { AssetLibrary } from "#src/files/AssetLibrary.ts"
import { FileSweep } from "#src/files/FileSweep.ts"
import * as LocalReception from "#src/files/local/LocalReception.ts"
import { MediaDelivery } from "#src/files/MediaDelivery.ts"
import { StorageQuota } from "#src/files/StorageQuota.ts"
import { Uploads } from "#src/files/Uploads.ts"

const streamed = Layer.succeed(MediaDelivery, MediaDelivery.of({ urlOf: () => Effect.succeed(null) }))

export const layer = Layer.mergeAll(
  Uploads.layer,
  LocalReception.layer,
  AssetLibrary.layer,
  FileSweep.layer
).pipe(Layer.provideMerge(Layer.mergeAll(StorageQuota.layer, streamed)), Layer.provideMerge(Files.layer))
