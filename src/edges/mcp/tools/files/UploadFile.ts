/** `upload_file`: uploads base64 bytes or a remote file (contract, "Assistant-tool server"). */
import { Effect, Schema, Struct, Option } from "effect"
import * as Tool from "effect/ai/Tool"
import * as ContentTypes from "#src/features/media/storage/ContentTypes.ts"
import { DirectUploads } from "#src/features/files/DirectUploads.ts"
import * as KeyedPermits from "#src/kernel/limits/KeyedPermits.ts"
import * as DateTime from "#src/platform/views/DateTime.ts"
import { longestName, longestType } from "#src/edges/api/files/AnnouncedUpload.ts"
import * as MediaType from "#src/features/media/MediaType.ts"
import * as SniffMedia from "#src/features/media/SniffMedia.ts"
import type { BlobStoreError } from "#streams/BlobStore.ts"
import { granted, ToolCaller } from "../../ToolCaller.ts"
import { ToolError } from "../../ToolError.ts"
import * as Arguments from "../Arguments.ts"
import * as ToolTraits from "../ToolTraits.ts"
import * as FileToolErrors from "./FileToolErrors.ts"
import type { FileSource } from "./FileSource.ts"
import * as DataSource from "./DataSource.ts"
import * as UrlSource from "./UrlSource.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import type { Media } from "#src/features/media/Media.ts"
import { MediaStore } from "#src/features/media/MediaStore.ts"

/** Handles a `url` of `upload_file` that already is a file of this service: returns it and stores nothing. */
const makeStoredFile = Effect.gen(function* () {
  const media = yield* MediaStore

  const answerOf = ({ contentType, expiresAt, fileName, id, sha256, size, url }: Media) => ({
    fileUrl: url,
    fileId: id,
    fileName,
    contentType,
    size,
    sha256,
    expiresAt
  })

  /** `null` for every other URL. */
  return Effect.fnUntraced(function* (url: string, { accountId }: Caller) {
    const id = media.parseOwnUrl(url)
    if (Option.isNone(id)) return null
    const found = yield* media.find(id.value).pipe(
      Effect.catchTag("MediaGone", () => Effect.succeed(null)),
      Effect.mapError(FileToolErrors.ofStore)
    )
    if (found === null) return yield* FileToolErrors.noOwnFile
    return found.accountId === accountId ? answerOf(found) : yield* FileToolErrors.foreignFile
  })
})

/** Concurrent downloads: each may take 200 MiB on disk. */
const mostDownloads = { total: 8, perKey: 3, patience: "30 seconds" } as const

export const tool = Tool.make("upload_file", {
  description:
    "Stores a file, and returns the URL to use as a file input of run_model (images, audio, video). Give exactly one of `url` and `data`. At most 200 MiB. A file that is already at a public URL need not be uploaded to be a model input; upload it when that URL is short-lived. Each call stores another file, but for the URL of a file that is stored here already: that is answered as it is.",
  parameters: Schema.Struct({
    url: Arguments.optional(
      Schema.String.annotate({
        description:
          "https URL that anybody can download the file from. It is downloaded now, within 5 minutes; up to five redirects are followed. Better than `data` for everything that has a URL.",
        examples: ["https://example.org/cat.png"]
      })
    ),
    data: Arguments.optional(
      Schema.String.annotate({
        description:
          "The bytes of the file in base64, standard or URL-safe, or a `data:` URL with base64. Only for small files: you have to write all of it.",
        examples: ["data:image/png;base64,iVBORw0KGgo="]
      })
    ),
    fileName: Arguments.optional(
      Arguments.text({ maxLength: longestName }).annotate({
        description: "Name of the file, with its extension. By default that in `url`, or `file`.",
        examples: ["cat.png"]
      })
    ),
    contentType: Arguments.optional(
      Arguments.text({ maxLength: longestType }).annotate({
        description:
          "Media type of the file. By default the type of the `data:` URL or of the download, or else detected from the name and the bytes.",
        examples: ["image/png"]
      })
    )
  }),
  success: Schema.Struct({
    fileUrl: Schema.String.annotate({
      description: "Public: anyone who knows it can fetch the file. Use it as a model input."
    }),
    fileId: Schema.String,
    fileName: Schema.String,
    contentType: Schema.String,
    size: Schema.Finite.annotate({ description: "Bytes." }),
    sha256: Schema.NullOr(Schema.String).annotate({
      description: "Hex; null for a file of this service whose bytes it has never read completely."
    }),
    expiresAt: Schema.String.annotate({ description: "When the file is erased." })
  }),
  failure: ToolError,
  dependencies: [ToolCaller]
})
  .annotate(Tool.Title, "Upload a file")
  .annotateMerge(ToolTraits.adding)

type Given = Tool.Parameters<typeof tool>

const isMediaType = Schema.is(MediaType.MediaType)

/** The type from the caller, or else from the source, or else from the file's name and bytes. */
const typeOf = ({ contentType }: Given, source: FileSource, fileName: string): string => {
  const claimed = contentType ?? source.contentType
  if (claimed !== null && claimed !== undefined && isMediaType(claimed)) return claimed
  return ContentTypes.of(fileName, source.head)
}

const unnamed = ({ contentType, head }: FileSource): string =>
  `file.${SniffMedia.fileType(head, contentType).extension}`

const shown = <File extends { readonly expiresAt: number }>(file: File) => ({
  ...Struct.omit(file, ["expiresAt"]),
  expiresAt: DateTime.format(file.expiresAt)
})

const ofSource = <R>(source: Effect.Effect<FileSource, ToolError | BlobStoreError, R>) =>
  Effect.catchTag(source, "BlobStoreError", (error) => Effect.fail(FileToolErrors.ofStore(error)))

export const make = Effect.gen(function* () {
  const uploads = yield* DirectUploads
  const fromData = yield* DataSource.make
  const fromUrl = yield* UrlSource.make
  const storedFile = yield* makeStoredFile
  const downloads = KeyedPermits.make(mostDownloads)

  return Effect.fn("UploadFile.call")(function* (given: Given) {
    const caller = yield* granted("files:write")
    const { contentType, data, url } = given
    if (contentType !== undefined && !isMediaType(contentType)) return yield* FileToolErrors.noMediaType

    const keep = Effect.fnUntraced(function* (source: FileSource) {
      const { body, size } = source
      const fileName = given.fileName ?? source.fileName ?? unnamed(source)
      const type = typeOf(given, source, fileName)
      const file = yield* uploads
        .store({ caller, fileName, contentType: type, size, body })
        .pipe(Effect.mapError(FileToolErrors.ofStore))
      return shown(file)
    })

    if (url !== undefined && data === undefined) {
      const own = yield* storedFile(url, caller)
      if (own !== null) return shown(own)
      yield* Effect.mapError(uploads.requireRoom(caller), FileToolErrors.ofStore)
      return yield* downloads.withPermit(
        caller.accountId,
        Effect.scoped(Effect.flatMap(ofSource(fromUrl(url)), keep)),
        Effect.fail(FileToolErrors.tooManyDownloads)
      )
    }
    if (data !== undefined && url === undefined) {
      return yield* Effect.flatMap(ofSource(fromData(data)), keep)
    }
    return yield* FileToolErrors.notOneSource
  })
})
