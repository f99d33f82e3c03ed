/** The blobs that an event names: texts of large payloads, and the bytes of files. */
import { Effect } from "effect"
import * as File from "#domain/file/File.ts"
import * as FileEvent from "#domain/file/Event.ts"
import { FileId } from "#domain/Ids.ts"
import type { BlobStore, BlobStoreError } from "#streams/BlobStore.ts"
import type { CopiedEvent } from "#streams/copy/LogTarget.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as FileKeys from "#src/features/media/storage/FileKeys.ts"
import * as PartsBlob from "#src/features/media/storage/local/PartsBlob.ts"
import * as BackupBlobs from "./BackupBlobs.ts"

export interface NamedBlob {
  /** In the blob store. */
  readonly key: string
  /** In the backup. Other bytes under the same key have another name there. */
  readonly object: string
  readonly etag?: string
}

/** The events that name the bytes of a file. */
const storing = new Set(["UploadCompleted", "UploadReplaced", "OutputStored"])

/** What a file's event says about its bytes; `null` for other events. */
export const storedBy = (event: RecordedEvent) => {
  if (!storing.has(event.type) || StreamName.categoryOf(event.stream) !== File.aggregate.category) return null
  const decoded = FileEvent.codec.decode(event)
  return "stored" in decoded ? decoded.stored : null
}

const partsOf = Effect.fnUntraced(function* (blobs: BlobStore["Service"], id: FileId, etag: string) {
  const manifest = yield* PartsBlob.readManifest(blobs, { id, etag })
  if (manifest === null) return []
  const folder = FileKeys.partsFolder(id)
  const parts = manifest.parts.map(({ name }) => `${folder}/${name}`)
  return [...parts, PartsBlob.manifestKey({ id, etag })].map((key): NamedBlob => ({
    key,
    object: BackupBlobs.objectOf(key),
    etag
  }))
})

export const of = Effect.fnUntraced(function* (
  blobs: BlobStore["Service"],
  { event, payloads }: CopiedEvent
): Effect.fn.Return<ReadonlyArray<NamedBlob>, BlobStoreError> {
  const texts = payloads.flatMap(({ content }): ReadonlyArray<NamedBlob> =>
    content._tag === "Blob" ? [{ key: content.key, object: BackupBlobs.objectOf(content.key) }] : []
  )
  const stored = storedBy(event)
  if (stored === null) return texts
  const { etag, isInParts } = stored
  const id = FileId.make(StreamName.idOf(event.stream))
  if (isInParts === true) return yield* partsOf(blobs, id, etag)
  const key = FileKeys.whole(id)
  return [{ key, object: `${BackupBlobs.objectOf(key)}.${etag}`, etag }]
})
