/** What is kept beside the bytes of a stored file, and what is left of it when it is removed. */
import { Effect, Schema, Stream } from "effect"
import { RequestId } from "#domain/Ids.ts"
import type { BlobStore } from "#streams/BlobStore.ts"
import * as MediaUrl from "./MediaUrl.ts"

/** Field names are the storage format: add optional ones, never rename. */
export const Present = Schema.Struct({
  fileName: Schema.String,
  contentType: Schema.String,
  /** Bytes. */
  size: Schema.Int,
  /** Hex. */
  sha256: Schema.String,
  /** The request that made the file. */
  requestId: Schema.optionalKey(RequestId)
})
export type Present = typeof Present.Type

/** Says nothing of what the file was. Storage format, as above. */
export const Tombstone = Schema.Struct({
  /** ISO 8601, UTC. */
  removedAt: Schema.String
})
export type Tombstone = typeof Tombstone.Type

export type MediaRecord = Present | Tombstone

export const isTombstone = (record: MediaRecord): record is Tombstone => "removedAt" in record

/** There was such a file, and it was removed: it never comes back. */
export class MediaGone extends Schema.TaggedError<MediaGone>()("MediaGone", {}) {
  override get message(): string {
    return "The file was removed."
  }
}

const RecordText = Schema.fromJsonString(Schema.Union([Present, Tombstone]))
const encode = Schema.encodeSync(RecordText)
const decode = Schema.decodeEffect(RecordText)

const keyOf = (id: MediaUrl.MediaId): string => `${MediaUrl.root}/${id}.json`

/** `null` when there never was such a file. */
export const read = Effect.fnUntraced(function* (blobs: BlobStore["Service"], id: MediaUrl.MediaId) {
  const blob = yield* blobs.get(keyOf(id))
  if (blob === null) return null
  const text = yield* Stream.mkString(Stream.decodeText(blob.body))
  return yield* Effect.orDie(decode(text))
})

/** Replaces the record at once and whole. */
export const write = (blobs: BlobStore["Service"], id: MediaUrl.MediaId, record: MediaRecord) =>
  blobs.put(keyOf(id), Buffer.from(encode(record)))
