/** Uploads a local file, with its progress on stderr. */
import { Effect } from "effect"
import * as ContentTypes from "#src/features/media/storage/ContentTypes.ts"
import * as FileRef from "./FileRef.ts"
import * as LocalFile from "./LocalFile.ts"
import * as TransferProgress from "./TransferProgress.ts"
import * as Uploading from "./Uploading.ts"

export interface Options {
  /** Default: the name of the local file. */
  readonly fileName?: string | undefined
  /** Default: by the extension of the name or the first bytes. */
  readonly contentType?: string | undefined
  /** Bytes; default: the client's. */
  readonly partSize?: number | undefined
  /** Parts sent in parallel. */
  readonly parallel?: number
  readonly isSilent: boolean
}

export const usualParallel = 4

/** Number of bytes for detecting the type of a file. */
const headLength = 256

export const upload = Effect.fnUntraced(function* (path: string, options: Options) {
  const { isSilent, parallel = usualParallel, partSize } = options
  const file = yield* LocalFile.open(path)
  const fileName = options.fileName ?? file.name
  const contentType =
    options.contentType ?? ContentTypes.of(fileName, yield* LocalFile.head(file, headLength))
  const progress = yield* TransferProgress.make({ name: file.name, total: file.size, isSilent })
  const uploading = Uploading.upload({ file, fileName, contentType, progress, partSize, parallel })
  const fileUrl = yield* Effect.ensuring(uploading, progress.clear)
  return { path, fileUrl, fileId: FileRef.idIn(fileUrl), fileName, contentType, size: file.size }
})
