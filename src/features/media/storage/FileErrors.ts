/** Why what a client wants of a file is refused. */
import { Schema } from "effect"

/** There is no such file or upload, or it can be none's id. */
export class FileNotFound extends Schema.TaggedError<FileNotFound>()("FileNotFound", {}) {}

/** It is another account's. */
export class FileForbidden extends Schema.TaggedError<FileForbidden>()("FileForbidden", {}) {}

/** It was deleted, or has expired. */
export class FileGone extends Schema.TaggedError<FileGone>()("FileGone", {}) {}

/** All bytes have come before. */
export class AlreadyUploaded extends Schema.TaggedError<AlreadyUploaded>()("AlreadyUploaded", {
  /** Where the file is, for who asked to complete it. */
  fileUrl: Schema.optionalKey(Schema.String)
}) {}

/** More bytes than a file may have, or than were declared. */
export class FileTooLarge extends Schema.TaggedError<FileTooLarge>()("FileTooLarge", {
  /** Bytes. */
  limit: Schema.Int
}) {}

/** The account's files would take up more than they may. Both in bytes. */
export class QuotaExceeded extends Schema.TaggedError<QuotaExceeded>()("QuotaExceeded", {
  limit: Schema.Int,
  used: Schema.Int
}) {}
