/** Whether stored bytes are streamed through us, or clients are sent to where they lie. */
import { Context, type Effect } from "effect"
import type { FileId } from "#domain/Ids.ts"
import type { BlobStoreError } from "#streams/BlobStore.ts"

export interface Delivered {
  readonly id: FileId
  /** S3 signs one only. */
  readonly method: "GET" | "HEAD"
  readonly contentType: string
  /** Value of `Content-Disposition`. */
  readonly disposition: string
}

export class MediaDelivery extends Context.Service<
  MediaDelivery,
  {
    /** A presigned URL of the store, good for some minutes, that answers the method; `null` where we stream. */
    urlOf(file: Delivered): Effect.Effect<string | null, BlobStoreError>
  }
>()("inferlog/src/features/media/storage/MediaDelivery") {}
