/** Where clients send the bytes of files, by presigned URLs: to us, or directly to S3 (contract, "Uploads"). */
import { Context, type Effect, Schema } from "effect"
import type { Array } from "effect"
import type { Stored } from "#domain/file/Event.ts"
import type { FileId } from "#domain/Ids.ts"
import type { UploadedPart } from "#src/platform/blobs/Part.ts"
import type { BlobStoreError } from "#streams/BlobStore.ts"

/** An announced upload. */
export interface UploadTarget {
  readonly id: FileId
  /** Clean (`MediaType.cleanFileName`). */
  readonly fileName: string
  /** Clean (`MediaType.clean`). */
  readonly contentType: string
  /** Declared bytes; `null` if the client did not say. */
  readonly size: number | null
}

/** A file that a client sent to the store directly. */
export interface Arrived {
  readonly stored: Stored
  /** The `Content-Type` of its PUT; `undefined` without one. */
  readonly contentType: string | undefined
}

/** The parts `partNumbers` are wrong. Nothing has changed, and the call may be repeated. */
export class PartsRefused extends Schema.TaggedError<PartsRefused>()("PartsRefused", {
  reason: Schema.Literals(["missing", "etag_mismatch", "too_small", "wrong_size", "not_named"]),
  partNumbers: Schema.Array(Schema.Int)
}) {}

export class UploadStore extends Context.Service<
  UploadStore,
  {
    /** Whether clients send the bytes to the store directly, so that only `look` finds them. */
    readonly isDirect: boolean
    /** A URL to PUT the whole file to, until `expiresAt` (Unix time in ms). */
    putUrl(
      target: UploadTarget,
      options: { readonly expiresAt: number }
    ): Effect.Effect<string, BlobStoreError>
    /** Begins a multipart upload and returns its id. */
    begin(target: UploadTarget): Effect.Effect<string, BlobStoreError>
    /** A URL to PUT one part to, until `expiresAt` (Unix time in ms). */
    partUrl(
      target: UploadTarget,
      options: { readonly uploadId: string; readonly partNumber: number; readonly expiresAt: number }
    ): Effect.Effect<string, BlobStoreError>
    /** The parts so far, in ascending order; of a repeated part the last one. */
    parts(id: FileId, uploadId: string): Effect.Effect<ReadonlyArray<UploadedPart>, BlobStoreError>
    /** Makes a file of the checked parts, in ascending order, readable when it returns. Repeating it is safe. */
    assemble(
      id: FileId,
      uploadId: string,
      parts: Array.NonEmptyReadonlyArray<UploadedPart>
    ): Effect.Effect<Stored, PartsRefused | BlobStoreError>
    /** Removes remains that are not part of the file. Call it when `stored` is on the log. */
    tidy(id: FileId, stored: Stored): Effect.Effect<void, BlobStoreError>
    /** What has arrived at the store directly; `null` for nothing, and always if clients send bytes to us. */
    look(id: FileId): Effect.Effect<Arrived | null, BlobStoreError>
    /** When it returns, no byte of the file or its parts is left. Repeat it to finish an interrupted call. */
    remove(id: FileId, uploadId: string | null): Effect.Effect<void, BlobStoreError>
  }
>()("inferlog/src/features/media/storage/UploadStore") {}
