/** Receives the bytes that clients PUT to our presigned URLs (contract, "Uploads"). */
import { Context, type Effect, Schema } from "effect"
import type { Readable } from "node:stream"
import type { BlobStoreError } from "#streams/BlobStore.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import type { SqlError } from "effect/sql/SqlError"
import type { AlreadyUploaded, FileGone, FileNotFound, FileTooLarge, QuotaExceeded } from "./FileErrors.ts"

/** The URL does not allow this PUT: altered, for another request, or expired. */
export class UrlRefused extends Schema.TaggedError<UrlRefused>()("UrlRefused", {
  reason: Schema.Literals(["not_signed", "signature_mismatch", "expired"])
}) {}

/** The PUT names another media type than was announced. Both are in lower case and without parameters. */
export class ContentTypeMismatch extends Schema.TaggedError<ContentTypeMismatch>()("ContentTypeMismatch", {
  declared: Schema.String,
  /** `application/octet-stream` for a malformed one. */
  sent: Schema.String
}) {}

/** The body is not as declared. None of it is kept. */
export class BodyRefused extends Schema.TaggedError<BodyRefused>()("BodyRefused", {
  /** `broken_off`: the client disconnected or sent an invalid body. `timeout`: it was too slow. */
  reason: Schema.Literals(["wrong_size", "digest_mismatch", "broken_off", "timeout"])
}) {}

/** The node receives too many PUTs at the moment. */
export class TooManyUploads extends Schema.TaggedError<TooManyUploads>()("TooManyUploads", {
  retryAfterSeconds: Schema.Int
}) {}

export interface Put {
  /** As in the path. */
  readonly id: string
  /** The URL's query, decoded. */
  readonly query: Readonly<Record<string, string | undefined>>
  readonly contentType: string | undefined
  /** Announced bytes. */
  readonly contentLength: number | undefined
  /** The header `Content-MD5` (RFC 1864). */
  readonly contentMd5: string | undefined
  /** Read only after the URL was checked. Chunks are consumed without a copy. A refused body stays unread, paused. */
  readonly body: Readable
}

export class Reception extends Context.Service<
  Reception,
  {
    /** Durable when it returns and, unless it is a part, readable at the file's URL. Returns the ETag without quotes. */
    receive(
      put: Put
    ): Effect.Effect<
      string,
      | UrlRefused
      | ContentTypeMismatch
      | BodyRefused
      | TooManyUploads
      | FileNotFound
      | FileGone
      | AlreadyUploaded
      | FileTooLarge
      | QuotaExceeded
      | EventStoreError
      | BlobStoreError
      | SqlError
    >
  }
>()("inferlog/src/features/media/storage/Reception") {}
