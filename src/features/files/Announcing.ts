/** Announces a file before its bytes arrive. */
import { Clock, Effect } from "effect"
import type { UploadMethod } from "#domain/file/Event.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import * as MediaType from "#src/features/media/MediaType.ts"
import * as MediaUrl from "#src/features/media/MediaUrl.ts"
import * as Payload from "#streams/Payload.ts"
import { Payloads } from "#streams/Payload.ts"
import { FileActors } from "#src/features/media/storage/FileActors.ts"
import * as FileNames from "#src/features/media/storage/FileNames.ts"
import type { UploadTarget } from "#src/features/media/storage/UploadStore.ts"

/** Under a new id, with a cleaned name and type. */
export const targetOf = ({
  contentType,
  fileName,
  size
}: Pick<UploadTarget, "fileName" | "contentType" | "size">): UploadTarget => ({
  id: MediaUrl.makeId(),
  fileName: MediaType.cleanFileName(fileName),
  contentType: MediaType.clean(contentType),
  size
})

export const make = Effect.gen(function* () {
  const actors = yield* FileActors
  const payloads = yield* Payloads

  /** Durable when it returns. The file expires `lifetimeMs` later if its bytes have not arrived. */
  return Effect.fnUntraced(function* (
    { accountId, keyId }: Caller,
    target: UploadTarget,
    {
      lifetimeMs,
      method,
      purpose
    }: { readonly method: UploadMethod; readonly lifetimeMs: number; readonly purpose?: string | undefined }
  ) {
    const { contentType, fileName, id, size } = target
    const name = yield* FileNames.seal(payloads, { id, accountId, fileName })
    const at = yield* Clock.currentTimeMillis
    const upload = {
      at,
      accountId,
      keyId,
      contentType,
      size,
      method,
      expiresAt: at + lifetimeMs,
      ...(purpose !== undefined && { purpose }),
      payloads: { name: Payload.refOf(name) }
    }
    yield* actors
      .create(id, { _tag: "InitiateUpload", upload }, [name])
      .pipe(Effect.catchTag(["FileNotFound", "FileGone", "AlreadyUploaded"], Effect.die))
  })
})
