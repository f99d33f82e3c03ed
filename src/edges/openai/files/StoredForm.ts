/** Stores the file of a form among the account's files. */
import { Effect, Schema, Stream } from "effect"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { DirectUploads } from "#src/features/files/DirectUploads.ts"
import * as MediaType from "#src/features/media/MediaType.ts"
import * as ContentTypes from "#src/features/media/storage/ContentTypes.ts"
import { sniffLength } from "#src/features/media/ImageFormat.ts"
import * as UploadForm from "./UploadForm.ts"

const isMediaType = Schema.is(MediaType.MediaType)

/** The type of the part, or else that of the file's name and bytes. */
const typeOf = ({ bytes, name, type }: UploadForm.UploadForm["file"]): string =>
  isMediaType(type) && type !== "application/octet-stream"
    ? type
    : ContentTypes.of(name, bytes.subarray(0, sniffLength))

export const make = Effect.map(DirectUploads, (uploads) =>
  Effect.fnUntraced(function* (caller: Caller, { file }: UploadForm.UploadForm, purpose?: string) {
    const { bytes, name } = file
    if (bytes.length === 0) return yield* UploadForm.emptyFile
    return yield* uploads.store({
      caller,
      fileName: name === "" ? "file" : name,
      contentType: typeOf(file),
      size: bytes.length,
      purpose,
      body: Stream.succeed(bytes)
    })
  })
)
