/**
 * Where clients bring the bytes of files: to us, or straight to S3. By presigned URLs that carry their own credentials
 * (contract, "Uploads"). Everything else of files is the same for both.
 */
import { Context, type Effect, Schema } from "effect"
import type { Array } from "effect"
import type { Stored } from "#domain/file/Event.ts"
import type { FileId } from "#domain/Ids.ts"
import type { UploadedPart } from "#src/platform/blobs/Part.ts"
import type { BlobStoreError } from "#streams/BlobStore.ts"

/** What a client is going to bring. */
export interface UploadTarget {
  readonly id: FileId
  /** Clean (`MediaType.cleanFileName`). */
  readonly fileName: string
  /** Clean (`MediaType.clean`). */
  readonly contentType: string
  /** Bytes, as declared; `null` when the client did not say. */
  readonly size: number | null
}

/** Parts are not as they have to be; `partNumbers` are those. Nothing has changed, and it may be tried again. */
export class PartsRefused extends Schema.TaggedError<PartsRefused>()("PartsRefused", {
  reason: Schema.Literals(["missing", "etag_mismatch", "too_small", "wrong_size", "not_named"]),
  partNumbers: Schema.Array(Schema.Int)
}) {}

export class UploadStore extends Context.Service<
  UploadStore,
  {
    /** Whether clients bring the bytes without us, so that only `look` tells what has come. */
    readonly isDirect: boolean
    /** A URL to PUT the whole file to, until `expiresAt` (Unix time in ms). */
    putUrl(
      target: UploadTarget,
      options: { readonly expiresAt: number }
    ): Effect.Effect<string, BlobStoreError>
    /** Begins an upload in parts, and gives its id. */
    begin(target: UploadTarget): Effect.Effect<string, BlobStoreError>
    /** A URL to PUT one part to, until `expiresAt` (Unix time in ms). */
    partUrl(
      target: UploadTarget,
      options: { readonly uploadId: string; readonly partNumber: number; readonly expiresAt: number }
    ): Effect.Effect<string, BlobStoreError>
    /** The parts that have come, in ascending order; of one that came twice the last. */
    parts(id: FileId, uploadId: string): Effect.Effect<ReadonlyArray<UploadedPart>, BlobStoreError>
    /**
     * Makes a file of the parts, which are in ascending order and were all found good. The bytes can be read when it
     * returns. Repeated, also after a crash, it gives the same.
     */
    assemble(
      id: FileId,
      uploadId: string,
      parts: Array.NonEmptyReadonlyArray<UploadedPart>
    ): Effect.Effect<Stored, PartsRefused | BlobStoreError>
    /** Removes what has come for the file and is no part of it. To be called once `stored` is on the log. */
    tidy(id: FileId, stored: Stored): Effect.Effect<void, BlobStoreError>
    /** What has come without us, `null` when nothing has; always `null` where clients bring the bytes to us. */
    look(id: FileId): Effect.Effect<Stored | null, BlobStoreError>
    /** No byte of the file is left when it returns, of parts that have come for it neither. Repeated it does what is left. */
    remove(id: FileId, uploadId: string | null): Effect.Effect<void, BlobStoreError>
  }
>()("inferlog/src/features/media/storage/UploadStore") {}
