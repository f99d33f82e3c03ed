/** The description of a stored file, and what creates one. */
import { Schema, type Stream } from "effect"
import type { OutputStored } from "#domain/file/Event.ts"
import type { AccountId, FileId, RequestId } from "#domain/Ids.ts"
import type { BlobStoreError } from "#streams/BlobStore.ts"

export interface Media {
  readonly id: FileId
  readonly accountId: AccountId
  /** The request that made the file; `null` for an upload. */
  readonly requestId: RequestId | null
  readonly fileName: string
  readonly contentType: string
  readonly size: number
  /** Public; the only credential. */
  readonly url: string
  /** Strong, with its quotes (RFC 9110, section 8.8.3). */
  readonly etag: string
  /** Value of `Content-Disposition`; `inline` only for types that no browser executes. */
  readonly disposition: string
  /** Hex; `null` if the bytes were never read here. */
  readonly sha256: string | null
  /** Unix time in ms. */
  readonly expiresAt: number
  /** Whether the bytes are one object, which the store could serve itself. */
  readonly isWhole: boolean
}

export interface OpenMedia {
  readonly media: Media
  readonly body: Stream.Stream<Uint8Array, BlobStoreError>
}

/** The file was removed or has expired, for good. */
export class MediaGone extends Schema.TaggedError<MediaGone>()("MediaGone", {}) {
  override get message(): string {
    return "The file was removed."
  }
}

/** The request that made a file. */
export interface Maker {
  readonly accountId: AccountId
  readonly requestId: RequestId
  /** Unix time in ms: files of a request expire with its payloads. */
  readonly submittedAt: number
}

export interface NewMedia {
  /** Chosen in advance with `MediaUrl.makeId`, so that a repeated write replaces the first. By default a new one. */
  readonly id?: FileId
  readonly maker: Maker
  readonly kind: OutputStored["kind"]
  readonly fileName: string
  readonly contentType: string
  readonly body: Stream.Stream<Uint8Array, BlobStoreError> | Uint8Array
}
