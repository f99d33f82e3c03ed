/** Small pictures of stored pictures and films, for lists and previews. */
import { essenceOf } from "#domain/file/ContentType.ts"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Cause, Context, Effect, FileSystem, Layer, Option, Stream } from "effect"
import type { PlatformError } from "effect/PlatformError"
import type { FileId } from "#domain/Ids.ts"
import { VisionWorkers } from "./vision/VisionWorkers.ts"
import { ScratchDirectory } from "#src/kernel/disk/ScratchDirectory.ts"
import { BlobStoreError } from "#streams/BlobStore.ts"
import * as Ffmpeg from "./Ffmpeg.ts"
import { sniffLength } from "./ImageFormat.ts"
import { maxBytes } from "./ImageLimits.ts"
import * as LocalCopy from "./LocalCopy.ts"
import type { Maker, Media } from "./Media.ts"
import { MediaStore } from "./MediaStore.ts"
import { thumbnailName } from "./MediaUrl.ts"
import type { LocalFile } from "./RemoteMedia.ts"
import * as SniffMedia from "./SniffMedia.ts"

export interface ThumbnailOptions {
  /** The file, in the scratch directory or in the store. */
  readonly source: LocalFile | Media
  /** Id of the thumbnail, chosen in advance, so that a repeated call makes no second one. */
  readonly id: FileId
  /** The request whose output the file is. */
  readonly maker: Maker
}

/** Bytes of a film that is copied to make a frame. */
const mostFilmBytes = 1024 * 1024 * 1024

/** Longest side, in pixels. */
const side = 320

const pictures = /^image\/(?:png|jpeg|webp|gif|avif|tiff)$/

const demuxers: Readonly<Record<string, Ffmpeg.Demuxer>> = {
  "video/mp4": "mov",
  "video/quicktime": "mov",
  "video/webm": "matroska",
  "video/x-matroska": "matroska"
}

const unreadable = (cause: PlatformError) =>
  new BlobStoreError({ reason: "A thumbnail cannot be read", cause })

/** A reason in one word, without text from the file. */
const reasonOf = (cause: Cause.Cause<unknown>): string => {
  const error = Option.getOrNull(Cause.findErrorOption(cause))
  return error instanceof Object && "_tag" in error ? String(error._tag) : "Defect"
}

export class Thumbnails extends Context.Service<
  Thumbnails,
  {
    /** Stores a WebP of a picture or first frame, of at most 320 pixels a side. `null` for other files and failures. */
    make(options: ThumbnailOptions): Effect.Effect<FileId | null>
  }
>()("inferlog/src/features/media/Thumbnails") {
  /** @param program path of ffmpeg; without it films have no thumbnails. */
  static readonly layerNoDeps = (program: string | null) =>
    Layer.effect(
      Thumbnails,
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const scratch = yield* ScratchDirectory
        const store = yield* MediaStore
        const workers = yield* VisionWorkers
        const ffmpeg = program === null ? null : yield* Ffmpeg.make(program)

        const pathOf = Effect.fnUntraced(function* (source: LocalFile | Media, folder: string) {
          if ("path" in source) return source.path
          const opened = yield* store.open(source.id)
          if (opened === null) return null
          const path = `${folder}/source`
          yield* LocalCopy.write(fs, opened.body, path)
          return path
        })

        /** By content, because the declared type of an upload is only a claim. */
        const typeOf = (path: string) =>
          Effect.map(
            Stream.mkUint8Array(fs.stream(path, { bytesToRead: sniffLength })),
            (head) => SniffMedia.fileType(head, null).contentType
          )

        /** Path of a picture; `null` if none can be made of the file. */
        const pictureOf = Effect.fnUntraced(function* (path: string, folder: string) {
          const type = yield* typeOf(path)
          if (pictures.test(type)) return path
          const demuxer = demuxers[type]
          if (demuxer === undefined || ffmpeg === null) return null
          const frame = yield* ffmpeg.firstFrame({ path, demuxer, side })
          const picture = `${folder}/frame`
          yield* Effect.uninterruptible(fs.writeFile(picture, frame))
          return picture
        })

        const isHopeless = ({ contentType, size }: LocalFile | Media): boolean => {
          const type = essenceOf(contentType)
          if (type.startsWith("image/")) return size > maxBytes
          if (size > mostFilmBytes) return true
          return ffmpeg === null || !type.startsWith("video/")
        }

        const attempt = Effect.fnUntraced(function* ({ id, maker, source }: ThumbnailOptions) {
          if (isHopeless(source)) return null
          const folder = yield* fs.makeTempDirectoryScoped({ directory: scratch, prefix: "thumbnail-" })
          const path = yield* pathOf(source, folder)
          const picture = path === null ? null : yield* pictureOf(path, folder)
          if (picture === null) return null
          const output = `${folder}/thumbnail`
          yield* workers.shrink({ _tag: "Shrink", input: picture, output, side }, Effect.void)
          const body = Stream.mapError(fs.stream(output), unreadable)
          yield* store.put({
            id,
            maker,
            kind: "thumbnail",
            fileName: thumbnailName,
            contentType: "image/webp",
            body
          })
          return id
        }, Effect.scoped)

        const make: Thumbnails["Service"]["make"] = Effect.fn("Thumbnails.make")((options) =>
          Effect.catchCause(attempt(options), (cause) =>
            Effect.logWarning("A thumbnail could not be made").pipe(
              Effect.annotateLogs({ request_id: options.maker.requestId, reason: reasonOf(cause) }),
              Effect.as(null)
            )
          )
        )

        return Thumbnails.of({ make })
      })
    )

  /** Looks for ffmpeg once. */
  static readonly layer = Layer.unwrap(
    Effect.gen(function* () {
      const program = yield* Ffmpeg.find
      if (program === null) yield* Effect.logInfo("Films get no thumbnails: there is no ffmpeg in PATH")
      return Thumbnails.layerNoDeps(program)
    })
  ).pipe(Layer.provide(NodeFileSystem.layer))
}
