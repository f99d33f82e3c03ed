import { Layer } from "effect"
import { RemoteMedia } from "./RemoteMedia.ts"
import { Thumbnails } from "./Thumbnails.ts"
import { VisionWorkers } from "./vision/VisionWorkers.ts"

/** Fetching the files of outputs, and their thumbnails. */
export const layerFetching = Layer.merge(
  RemoteMedia.layer,
  Thumbnails.layer.pipe(Layer.provide(VisionWorkers.layer))
)
