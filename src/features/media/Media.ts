/** What is said of a stored file, and what makes one. */
import { Schema, type Stream } from "effect"
import type { OutputStored } from "#domain/file/Event.ts"
import type { AccountId, FileId, RequestId } from "#domain/Ids.ts"
import type { BlobStoreError } from "#streams/BlobStore.ts"

export interface Media {
  readonly id: FileId
  readonly accountId: AccountId
  /** The request that made the file; `null` for what a client brought. */
  readonly requestId: RequestId | null
  readonly fileName: string
  readonly contentType: string
  /** Bytes. */
  readonly size: number
  /** Public, and the only credential. */
  readonly url: string
  /** Strong, with its quotes (RFC 9110, section 8.8.3). */
  readonly etag: string
  /** Value of `Content-Disposition`; `inline` only for what no browser executes. */
  readonly disposition: string
  /** Hex; `null` where nobody has read all of the bytes. */
  readonly sha256: string | null
  /** Unix time in ms. */
  readonly expiresAt: number
  /** Whether the bytes lie in one place, where the store itself could give them to a client. */
  readonly isWhole: boolean
}

export interface OpenMedia {
  readonly media: Media
  readonly body: Stream.Stream<Uint8Array, BlobStoreError>
}

/** There was such a file, and it was removed, or has expired: it never comes back. */
export class MediaGone extends Schema.TaggedError<MediaGone>()("MediaGone", {}) {
  override get message(): string {
    return "The file was removed."
  }
}

/** The request that made a file. */
export interface Maker {
  readonly accountId: AccountId
  readonly requestId: RequestId
  /** Unix time in ms: what the request made is kept as long as what it carried. */
  readonly submittedAt: number
}

export interface NewMedia {
  /**
   * Chosen beforehand, with `MediaUrl.makeId`, so that whoever is cut off may write again: what was there is replaced.
   * A fresh one when not given.
   */
  readonly id?: FileId
  readonly maker: Maker
  readonly kind: OutputStored["kind"]
  readonly fileName: string
  readonly contentType: string
  readonly body: Stream.Stream<Uint8Array, BlobStoreError> | Uint8Array
}
