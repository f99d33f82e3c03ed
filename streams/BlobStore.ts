/** Stores bytes that are too large for the log: payloads above 64 KiB, and files. Blobs are written once. */
import { Context, type Effect, Schema, type Stream } from "effect"

export class BlobStoreError extends Schema.TaggedError<BlobStoreError>()("BlobStoreError", {
  reason: Schema.String,
  /** The store is full. Nothing was written. */
  isFull: Schema.optionalKey(Schema.Boolean),
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message(): string {
    return this.reason
  }
}

export interface Blob {
  /** Size of the whole blob, bytes. */
  readonly size: number
  /** The store's ETag of the blob that `body` is read from, without quotes. Absent if the store has none. */
  readonly etag?: string
  readonly body: Stream.Stream<Uint8Array, BlobStoreError>
}

export interface Listed {
  readonly key: string
  /** Bytes. */
  readonly size: number
}

/**
 * A key is one or more segments of `[A-Za-z0-9._-]` joined by `/`, none of them `.` or `..`. It never contains text of a
 * client.
 */
export class BlobStore extends Context.Service<
  BlobStore,
  {
    /** Writes a blob and returns its size in bytes. Durable before it returns. An existing blob is replaced atomically. */
    put(
      key: string,
      body: Stream.Stream<Uint8Array, BlobStoreError> | Uint8Array
    ): Effect.Effect<number, BlobStoreError>
    /** `null` when the blob does not exist. `range`: first byte and number of bytes. */
    get(
      key: string,
      range?: { readonly start: number; readonly length: number }
    ): Effect.Effect<Blob | null, BlobStoreError>
    /** Size in bytes. `null` when the blob does not exist. */
    size(key: string): Effect.Effect<number | null, BlobStoreError>
    /** Removes the blob if it exists. */
    remove(key: string): Effect.Effect<void, BlobStoreError>
    /** The blobs directly below `folder` (a key without its last segment), by key. */
    list(folder: string): Stream.Stream<Listed, BlobStoreError>
  }
>()("inferlog/streams/BlobStore") {}
