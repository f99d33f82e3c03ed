/** Vision runs over a store in memory, two real worker threads, and a guard that admits this machine. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { ConfigProvider, Effect, Layer, Stream } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import { ImageSource } from "#src/features/media/ImageSource.ts"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import { visionModels } from "#src/features/catalog/models/builtin/vision/VisionModels.ts"
import { VisionRuns } from "#src/features/providers/builtin/vision/VisionRuns.ts"
import { VisionWorkers } from "#src/features/media/vision/VisionWorkers.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import * as MemoryBlobStore from "#streams/MemoryBlobStore.ts"
import * as OutboundGuard from "#test/support/src/kernel/outbound/OutboundGuard.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as RecordedRun from "#test/support/src/features/providers/builtin/sandbox/RecordedRun.ts"
import * as Scratch from "#test/support/Scratch.ts"
import * as MediaServices from "#test/support/MediaServices.ts"

const mediaUrl = "http://127.0.0.1:1"
const urls = { queueUrl: mediaUrl, baseUrl: mediaUrl, mediaUrl, mcpUrl: mediaUrl }

export const layer = VisionRuns.layerNoDeps.pipe(
  Layer.provide(ImageSource.layerNoDeps),
  Layer.provideMerge(VisionWorkers.layer),
  Layer.provide(OutboundGuard.layer({ authorities: [Receiver.authority] })),
  Layer.provideMerge(MediaServices.layer),
  Layer.provide([
    MemoryBlobStore.layer,
    Scratch.layer,
    PublicUrls.layerOf(urls),
    ConfigProvider.layer(ConfigProvider.fromUnknown({ VISION_WORKERS: "2" }))
  ]),
  Layer.provideMerge(NodeFileSystem.layer)
)

export const jobOf = (endpoint: string, input: Json) => {
  const model = visionModels.find(({ model }) => String(model.endpoint) === endpoint)?.model
  if (model === undefined) throw new Error("no such vision model")
  return RecordedRun.jobOf(model, input)
}

/** Runs a model to its outcome. */
export const run = Effect.fn(function* (endpoint: string, input: Json) {
  const { control } = yield* RecordedRun.make
  return yield* (yield* VisionRuns).run(jobOf(endpoint, input), control)
})

export const dataUri = (bytes: Buffer, type = "image/png") =>
  `data:${type};base64,${bytes.toString("base64")}`

/** Stores a picture and returns its URL. */
export const upload = Effect.fn(function* (bytes: Uint8Array) {
  const { url } = yield* (yield* MediaStore).put({
    ...MediaServices.made,
    fileName: "picture",
    contentType: "image/png",
    body: bytes
  })
  return url
})

/** The bytes behind a URL of the store. */
export const download = Effect.fn(function* (url: string) {
  const store = yield* MediaStore
  const id = yield* Effect.fromOption(store.parseOwnUrl(url))
  const opened = yield* Effect.fromNullishOr(yield* store.open(id))
  return { bytes: yield* Stream.mkUint8Array(opened.body), media: opened.media }
})
