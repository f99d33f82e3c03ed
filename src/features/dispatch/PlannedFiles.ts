/**
 * Assigns ids to the files of an output before they are stored, so that a crash and a retry leave one copy of each. A
 * file that the run itself stored for its request keeps its id, so that it is erased with the request's payloads.
 */
import { Effect, Option } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import { FileId, type RequestId } from "#domain/Ids.ts"
import type { MediaPlan } from "#domain/inference-request/Event.ts"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import * as MediaUrl from "#src/features/media/MediaUrl.ts"
import * as JsonPointer from "#src/features/catalog/models/JsonPointer.ts"
import type { BlobStoreError } from "#streams/BlobStore.ts"
import type { EventStoreError } from "#streams/EventReader.ts"

/** Files of one output looked up at the same time. */
const concurrency = 4

export interface PlannedFiles {
  /** @param pointers JSON pointers to the files' URLs in the output. */
  readonly plan: (
    requestId: RequestId,
    output: Json,
    pointers: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<MediaPlan>, BlobStoreError | EventStoreError>
  /** Removes the files that the run stored for an output which its request did not accept. */
  readonly discard: (planned: ReadonlyArray<MediaPlan>) => Effect.Effect<void>
}

export const make: Effect.Effect<PlannedFiles, never, MediaStore> = Effect.map(MediaStore, (store) => {
  /** If one cannot be read, the store or erase of the others reports it. */
  const find = (id: FileId) =>
    store.find(id).pipe(
      Effect.catchTag("MediaGone", () => Effect.succeed(null)),
      Effect.catchDefect(() => Effect.succeed(null))
    )

  const ownId = Effect.fnUntraced(function* (requestId: RequestId, source: Json | undefined) {
    const id = typeof source === "string" ? store.parseOwnUrl(source) : Option.none()
    const media = Option.isSome(id) ? yield* find(id.value) : null
    return media?.requestId === requestId ? media.id : null
  })

  const planOne = (requestId: RequestId, output: Json) => (path: string) =>
    Effect.map(ownId(requestId, JsonPointer.at(output, path)), (own) => ({
      path,
      fileId: own ?? MediaUrl.makeId(),
      thumbnailId: MediaUrl.makeId()
    }))

  const discardOne = Effect.fnUntraced(
    function* ({ fileId }: MediaPlan) {
      const id = FileId.make(fileId)
      if ((yield* find(id)) !== null) yield* store.remove(id, "discarded")
    },
    Effect.catch((error) => Effect.logWarning("An unneeded file could not be removed", error))
  )

  return {
    plan: (requestId, output, pointers) =>
      Effect.forEach(pointers, planOne(requestId, output), { concurrency }),
    discard: Effect.forEach(discardOne, { discard: true })
  }
})
