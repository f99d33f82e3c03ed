/** Handles a `url` of `upload_file` that already is a file of this service: returns it and stores nothing. */
import { Effect, Option } from "effect"
import type { Caller } from "#src/features/accounts/Caller.ts"
import type { Media } from "#src/features/media/Media.ts"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import * as FileRefusals from "./FileRefusals.ts"

export const make = Effect.gen(function* () {
  const media = yield* MediaStore

  const told = ({ contentType, expiresAt, fileName, id, sha256, size, url }: Media) => ({
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
      Effect.mapError(FileRefusals.ofStore)
    )
    if (found === null) return yield* FileRefusals.noOwnFile
    return found.accountId === accountId ? told(found) : yield* FileRefusals.foreignFile
  })
})
