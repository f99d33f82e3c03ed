import { Layer } from "effect"
import * as LocalReception from "#src/features/media/storage/local/LocalReception.ts"
import { StorageQuota } from "#src/features/media/storage/StorageQuota.ts"
import { AssetLibrary } from "./AssetLibrary.ts"
import { DirectUploads } from "./DirectUploads.ts"
import { Uploads } from "./Uploads.ts"

export const layer = Layer.mergeAll(
  Uploads.layer,
  DirectUploads.layer,
  LocalReception.layer,
  AssetLibrary.layer
).pipe(Layer.provideMerge(StorageQuota.layer))
