import { Schema } from "effect"

/** No such file or upload, or a malformed id. */
export class FileNotFound extends Schema.TaggedError<FileNotFound>()("FileNotFound", {}) {}

/** The file belongs to another account. */
export class FileForbidden extends Schema.TaggedError<FileForbidden>()("FileForbidden", {}) {}

/** The file was deleted or has expired. */
export class FileGone extends Schema.TaggedError<FileGone>()("FileGone", {}) {}

/** All bytes have already arrived. */
export class AlreadyUploaded extends Schema.TaggedError<AlreadyUploaded>()("AlreadyUploaded", {
  /** The file's URL, for the caller that wanted to complete it. */
  fileUrl: Schema.optionalKey(Schema.String)
}) {}

/** More bytes than allowed, or than declared. */
export class FileTooLarge extends Schema.TaggedError<FileTooLarge>()("FileTooLarge", {
  limit: Schema.Int
}) {}

/** The account's files would exceed its quota. Both in bytes. */
export class QuotaExceeded extends Schema.TaggedError<QuotaExceeded>()("QuotaExceeded", {
  limit: Schema.Int,
  used: Schema.Int
}) {}
