import { Effect, type FileSystem, type Scope, Stream } from "effect"
import type { PlatformError } from "effect/PlatformError"
import type { Maker } from "#src/features/media/Media.ts"
import type { MediaStore } from "#src/features/media/MediaStore.ts"
import { BlobStoreError } from "#streams/BlobStore.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import type { Encoded } from "#src/features/media/vision/VisionTask.ts"

/** The `image` in the outputs of the models. */
export type OutputImage = {
  readonly url: string
  readonly contentType: string
  readonly width: number
  readonly height: number
  readonly size: number
}

const unreadable = (cause: PlatformError) =>
  new BlobStoreError({ reason: "The output of the worker cannot be read", cause })

export interface Services {
  readonly fs: FileSystem.FileSystem
  readonly store: MediaStore["Service"]
  /** The folder of temporary files. */
  readonly scratch: string
}

/** Lets `write` make a picture in a temporary file, which the scope removes, and stores it as a file of the request. */
export const make =
  ({ fs, store, scratch }: Services) =>
  <E>(
    maker: Maker,
    write: (path: string) => Effect.Effect<Encoded, E>
  ): Effect.Effect<OutputImage, E | BlobStoreError | EventStoreError | PlatformError, Scope.Scope> =>
    Effect.gen(function* () {
      const folder = yield* fs.makeTempDirectoryScoped({ directory: scratch, prefix: "output-" })
      const path = `${folder}/output`
      const { format, width, height } = yield* write(path)
      const { url, contentType, size } = yield* store.put({
        maker,
        kind: "output",
        fileName: `image.${format === "jpeg" ? "jpg" : format}`,
        contentType: `image/${format}`,
        body: Stream.mapError(fs.stream(path), unreadable)
      })
      return { url, contentType, width, height, size }
    })
