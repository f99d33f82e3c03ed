import { Layer } from "effect"
import { MediaStore } from "./MediaStore.ts"
import { RemoteMedia } from "./RemoteMedia.ts"
import * as ClientFacing from "./storage/ClientFacing.ts"
import { Thumbnails } from "./Thumbnails.ts"
import { VisionWorkers } from "./vision/VisionWorkers.ts"

/** Stored files, their uploads and downloads. */
export const layer = MediaStore.layer.pipe(Layer.provideMerge(ClientFacing.layer))

/** Fetching the files of outputs, and their thumbnails. */
export const layerFetching = Layer.merge(
  RemoteMedia.layer,
  Thumbnails.layer.pipe(Layer.provide(VisionWorkers.layer))
)
