/**
 * Events of one stored file. Their names and fields are the storage format: add cases or optional fields, never rename.
 * Every shape ever released has a fixture that is decoded in the tests.
 */
import { Schema } from "effect"
import * as EventCodec from "../EventCodec.ts"
import { AccountId, KeyId, RequestId } from "../Ids.ts"
import { PayloadRef } from "../PayloadRef.ts"

/** Unix time in ms. */
const at = Schema.Int

/** What a store says of the bytes that it has. */
export const Stored = Schema.Struct({
  /** Bytes. */
  size: Schema.Int,
  /** Without quotes. Hex MD5 of the bytes; of parts as S3 has it, the MD5 of their MD5s and `-<number of parts>`. */
  etag: Schema.String,
  /** Hex; `null` where nobody has read all of the bytes. */
  sha256: Schema.NullOr(Schema.String),
  /** Whether the bytes lie in the parts in which they came. */
  isInParts: Schema.optionalKey(Schema.Boolean)
})
export type Stored = typeof Stored.Type

/** How the bytes are to come: in one PUT, or in parts under an upload id of the store's. */
export const UploadMethod = Schema.Union([
  Schema.TaggedStruct("Single", {}),
  Schema.TaggedStruct("Multipart", { uploadId: Schema.String })
])
export type UploadMethod = typeof UploadMethod.Type

/** A client is going to bring the bytes. The name is the client's own words: a payload, so that it can be erased. */
export const UploadInitiated = Schema.TaggedStruct("UploadInitiated", {
  at,
  accountId: AccountId,
  keyId: KeyId,
  contentType: Schema.String,
  /** Bytes, as declared; `null` when the client did not say. */
  size: Schema.NullOr(Schema.Int),
  method: UploadMethod,
  /** What has not come by then never will. */
  expiresAt: Schema.Int,
  payloads: Schema.Struct({ name: PayloadRef })
})
export type UploadInitiated = typeof UploadInitiated.Type

/** All bytes are there. */
export const UploadCompleted = Schema.TaggedStruct("UploadCompleted", {
  at,
  stored: Stored,
  expiresAt: Schema.Int
})

/** Other bytes were found in the place of those: somebody put them there while the upload URL was valid. */
export const UploadReplaced = Schema.TaggedStruct("UploadReplaced", { at, stored: Stored })

/** A run made it. */
export const OutputStored = Schema.TaggedStruct("OutputStored", {
  at,
  accountId: AccountId,
  requestId: RequestId,
  /** Thumbnails are in no list. */
  kind: Schema.Literals(["output", "thumbnail"]),
  /** Of our making. */
  fileName: Schema.String,
  contentType: Schema.String,
  stored: Stored,
  expiresAt: Schema.Int
})
export type OutputStored = typeof OutputStored.Type

export const DeletionReason = Schema.Literals([
  /** The client wanted it. */
  "requested",
  /** What its request carried was erased. */
  "request_erased",
  /** Its account was erased. */
  "account_erased",
  /** Nobody was to know of it: a run that had no end has left it. */
  "discarded"
])
export type DeletionReason = typeof DeletionReason.Type

/** From now on nobody gets a byte. */
export const FileDeleted = Schema.TaggedStruct("FileDeleted", { at, reason: DeletionReason })

/** Its time is over, or that of its upload. From now on nobody gets a byte. */
export const FileExpired = Schema.TaggedStruct("FileExpired", { at })

/** The tombstone of the name, which goes in the same commit (`streams/Tombstone`). */
const PayloadsErased = Schema.TaggedStruct("PayloadsErased", {
  at,
  erased: Schema.Array(Schema.String)
})

/** No byte is left in the store. */
export const BytesRemoved = Schema.TaggedStruct("BytesRemoved", { at })

export const codec = EventCodec.make([
  UploadInitiated,
  UploadCompleted,
  UploadReplaced,
  OutputStored,
  FileDeleted,
  FileExpired,
  PayloadsErased,
  BytesRemoved
])
export type Event = ReturnType<typeof codec.decode>
