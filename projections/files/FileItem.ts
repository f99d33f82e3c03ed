/** A file in lists (decisions, "Platform routes"). */
import { Schema } from "effect"
import { AccountId, FileId, RequestId } from "#domain/Ids.ts"
import { PayloadRef } from "#domain/PayloadRef.ts"

export const FileStatus = Schema.Literals(["pending", "uploaded"])
export type FileStatus = typeof FileStatus.Type

export const FileSource = Schema.Literals(["upload", "output"])
export type FileSource = typeof FileSource.Type

/** Times are Unix time in ms. */
export const FileItem = Schema.Struct({
  fileId: FileId,
  accountId: AccountId,
  /** The name of an output. A client's name of a file is a payload, `nameRef`. Exactly one of the two is set. */
  fileName: Schema.NullOr(Schema.String),
  nameRef: Schema.NullOr(PayloadRef),
  contentType: Schema.String,
  /** Bytes. While the file is pending, the declared size, or `null`. */
  size: Schema.NullOr(Schema.Int),
  status: FileStatus,
  source: FileSource,
  purpose: Schema.String,
  requestId: Schema.NullOr(RequestId),
  sha256: Schema.NullOr(Schema.String),
  createdAt: Schema.Int,
  uploadedAt: Schema.NullOr(Schema.Int),
  expiresAt: Schema.Int
})
export type FileItem = typeof FileItem.Type
