/** Takes the bytes that clients PUT to presigned URLs of ours (contract, "Uploads"). */
import { Context, type Effect, Schema } from "effect"
import type { Readable } from "node:stream"
import type { BlobStoreError } from "#streams/BlobStore.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import type { SqlError } from "effect/sql/SqlError"
import type { AlreadyUploaded, FileGone, FileNotFound, FileTooLarge, QuotaExceeded } from "./FileErrors.ts"

/** The URL does not allow the PUT: it was made for another one, by somebody else, or too long ago. */
export class UrlRefused extends Schema.TaggedError<UrlRefused>()("UrlRefused", {
  reason: Schema.Literals(["not_signed", "signature_mismatch", "expired", "content_type_mismatch"])
}) {}

/** What came is not what was to come. Nothing of it is kept. */
export class BodyRefused extends Schema.TaggedError<BodyRefused>()("BodyRefused", {
  /** `broken_off`: the client went away, or sent what is no body. `timeout`: it was too slow. */
  reason: Schema.Literals(["wrong_size", "digest_mismatch", "broken_off", "timeout"])
}) {}

/** More PUTs are under way than this node takes at once. */
export class TooManyUploads extends Schema.TaggedError<TooManyUploads>()("TooManyUploads", {
  retryAfterSeconds: Schema.Int
}) {}

export interface Put {
  /** As in the path. */
  readonly id: string
  /** The URL's query, decoded. */
  readonly query: Readonly<Record<string, string | undefined>>
  readonly contentType: string | undefined
  /** Bytes, as announced. */
  readonly contentLength: number | undefined
  /** The header `Content-MD5` (RFC 1864). */
  readonly contentMd5: string | undefined
  /**
   * Not read before the URL is found good. Its chunks are taken: nobody else holds them. What is left of a body that is
   * refused stays in it, paused.
   */
  readonly body: Readable
}

export class Reception extends Context.Service<
  Reception,
  {
    /** Durable when it returns, and, unless it is a part, readable under the file's URL. Gives the ETag, without quotes. */
    receive(
      put: Put
    ): Effect.Effect<
      string,
      | UrlRefused
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
