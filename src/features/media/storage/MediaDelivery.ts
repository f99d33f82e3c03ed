/** Whether stored bytes are streamed through us, or clients are redirected to the store. */
import { Context, type Effect } from "effect"
import type { FileId } from "#domain/Ids.ts"
import type { BlobStoreError } from "#streams/BlobStore.ts"

export interface Delivered {
  readonly id: FileId
  /** S3 signs a URL for one method. */
  readonly method: "GET" | "HEAD"
  readonly contentType: string
  /** Value of `Content-Disposition`. */
  readonly disposition: string
}

export class MediaDelivery extends Context.Service<
  MediaDelivery,
  {
    /** A presigned URL of the store for the method, valid for some minutes; `null` if bytes are streamed. */
    urlOf(file: Delivered): Effect.Effect<string | null, BlobStoreError>
  }
>()("inferlog/src/features/media/storage/MediaDelivery") {}
