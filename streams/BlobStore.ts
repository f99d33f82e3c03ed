/** Where bytes lie that are too large for the log: payloads past 64 KiB, and files. Blobs are written once. */
import { Context, type Effect, Schema, type Stream } from "effect"

export class BlobStoreError extends Schema.TaggedError<BlobStoreError>()("BlobStoreError", {
  reason: Schema.String,
  /** There is no room left for what was to be written; nothing of it is kept. */
  isFull: Schema.optionalKey(Schema.Boolean),
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message(): string {
    return this.reason
  }
}

export interface Blob {
  /** Bytes, of the whole blob. */
  readonly size: number
  /** As the store has it, without quotes, of the blob that `body` is read from; absent where the store keeps none. */
  readonly etag?: string
  readonly body: Stream.Stream<Uint8Array, BlobStoreError>
}

export interface Listed {
  readonly key: string
  /** Bytes. */
  readonly size: number
}

/**
 * A key is one or more segments of `[A-Za-z0-9._-]` joined by `/`, none of them `.` or `..`: never a client's words.
 */
export class BlobStore extends Context.Service<
  BlobStore,
  {
    /** Durable before it returns; replaces what was there at once and whole. Returns the size in bytes. */
    put(
      key: string,
      body: Stream.Stream<Uint8Array, BlobStoreError> | Uint8Array
    ): Effect.Effect<number, BlobStoreError>
    /** `null` when there is no such blob. `range`: first byte and number of bytes. */
    get(
      key: string,
      range?: { readonly start: number; readonly length: number }
    ): Effect.Effect<Blob | null, BlobStoreError>
    /** Size in bytes, `null` when there is no such blob. */
    size(key: string): Effect.Effect<number | null, BlobStoreError>
    /** Nothing happens when there is no such blob. */
    remove(key: string): Effect.Effect<void, BlobStoreError>
    /** The blobs right below `folder`, the segments of a key before the last one, in the order of their keys. */
    list(folder: string): Stream.Stream<Listed, BlobStoreError>
  }
>()("inferlog/streams/BlobStore") {}
