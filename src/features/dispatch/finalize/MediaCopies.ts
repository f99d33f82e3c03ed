/** Stores one file of an output under its planned ids, with its thumbnail. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Effect, FileSystem, Stream } from "effect"
import type { PlatformError } from "effect/PlatformError"
import type { Json } from "#domain/CanonicalJson.ts"
import { FileId } from "#domain/Ids.ts"
import type { MediaPlan, StoredMedia } from "#domain/inference-request/Event.ts"
import { BlobStoreError } from "#streams/BlobStore.ts"
import type { Maker, Media } from "#src/features/media/Media.ts"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import { type LocalFile, RemoteMedia } from "#src/features/media/RemoteMedia.ts"
import { RemoteRefused, RemoteUnavailable } from "#src/features/media/RemoteFailure.ts"
import { Thumbnails } from "#src/features/media/Thumbnails.ts"

export interface CopyOptions {
  readonly maker: Maker
  readonly plan: MediaPlan
  /** Index of the file in the output, from 0. */
  readonly index: number
  /** The text in the output that names the file. */
  readonly source: Json | undefined
}

export interface Copied {
  readonly stored: StoredMedia
  /** The text that replaces it. */
  readonly url: string
}

const circumstancesOf = ({ status }: { readonly status?: number }) => (status === undefined ? {} : { status })

const unreadable = (cause: PlatformError) =>
  new BlobStoreError({ reason: "A downloaded file cannot be read", cause })

export const make = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const store = yield* MediaStore
  const remote = yield* RemoteMedia
  const thumbnails = yield* Thumbnails

  const put = ({ index, maker, plan }: CopyOptions, file: LocalFile) =>
    store.put({
      id: FileId.make(plan.fileId),
      maker,
      kind: "output",
      fileName: `output-${index}.${file.extension}`,
      contentType: file.contentType,
      body: Stream.mapError(fs.stream(file.path), unreadable)
    })

  const describe = (
    { maker, plan }: CopyOptions,
    { contentType, fileName, id: fileId, requestId, size, url }: Media,
    thumbnail: FileId | null
  ): Copied => ({
    stored: {
      path: plan.path,
      fileId,
      fileName,
      contentType,
      size,
      thumbnailId: thumbnail,
      owned: requestId === maker.requestId
    },
    url
  })

  return Effect.fn("MediaCopies.copy")(function* (options: CopyOptions) {
    const { maker, plan, source } = options
    const { path } = plan
    if (typeof source !== "string") return yield* new RemoteRefused({ reason: "unsupported_source", path })
    const file = yield* Effect.mapError(remote.fetch(source), (error) =>
      error._tag === "RemoteRefused"
        ? new RemoteRefused({ ...circumstancesOf(error), reason: error.reason, path })
        : new RemoteUnavailable({ ...circumstancesOf(error), reason: error.reason, path })
    )
    const media = file._tag === "LocalFile" ? yield* put(options, file) : file.media
    const thumbnail = yield* thumbnails.make({
      source: file._tag === "LocalFile" ? file : media,
      id: FileId.make(plan.thumbnailId),
      maker
    })
    return describe(options, media, thumbnail)
  }, Effect.scoped)
}).pipe(Effect.provide(NodeFileSystem.layer))
