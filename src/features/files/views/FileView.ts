/** The wire form of a stored file (decisions, "Platform routes"). */
import { Schema } from "effect"
import { FileSource, FileStatus } from "#projections/files/FileItem.ts"
import type { LibraryFile } from "../AssetLibrary.ts"
import * as DateTime from "#src/platform/views/DateTime.ts"
import * as ListView from "#src/platform/views/ListView.ts"
import * as RequestUrls from "#src/features/requests/views/RequestUrls.ts"
import * as UploadView from "./UploadView.ts"

const example = {
  id: UploadView.exampleId,
  fileName: "cat.png",
  url: UploadView.exampleUrl,
  contentType: "image/png",
  size: 1024,
  status: "uploaded",
  source: "upload",
  requestId: null,
  checksums: { sha256: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824" },
  createdAt: "2026-01-05T12:00:00.000Z",
  uploadedAt: "2026-01-05T12:00:01.250Z",
  expiresAt: "2026-02-04T12:00:01.250Z"
} as const

export const FileBody = Schema.Struct({
  id: Schema.String,
  fileName: Schema.String,
  url: Schema.String.annotate({
    description: "Public address of the file: anyone who knows it can fetch it.",
    format: "uri"
  }),
  contentType: Schema.String,
  size: Schema.NullOr(Schema.Int).annotate({
    description: "Bytes; the declared size while `pending`, null without one."
  }),
  status: FileStatus,
  source: FileSource,
  requestId: Schema.NullOr(Schema.String).annotate({
    description: "The request whose output it is; null for an upload."
  }),
  checksums: Schema.Struct({
    sha256: Schema.NullOr(Schema.String).annotate({ description: "Hex; null while unknown." })
  }),
  createdAt: DateTime.DateTime,
  uploadedAt: Schema.NullOr(DateTime.DateTime).annotate({ description: "null while it is `pending`." }),
  expiresAt: DateTime.DateTime.annotate({ description: "Its URL answers 410 from this time on." })
}).annotate({
  identifier: "File",
  description: "A stored file.",
  examples: [
    example,
    {
      ...example,
      size: null,
      status: "pending",
      checksums: { sha256: null },
      uploadedAt: null
    },
    { ...example, source: "output", requestId: RequestUrls.exampleId }
  ]
})
export type FileBody = typeof FileBody.Type

export const ListBody = ListView.bodyOf(FileBody).annotate({
  identifier: "Files",
  description: "A page of the account's files.",
  examples: [{ page: 1, limit: 20, total: 1, totalPages: 1, data: [example], next: null }]
})

export const record = (file: LibraryFile): FileBody => ({
  id: file.fileId,
  fileName: file.fileName,
  url: file.url,
  contentType: file.contentType,
  size: file.size,
  status: file.status,
  source: file.source,
  requestId: file.requestId,
  checksums: { sha256: file.sha256 },
  createdAt: DateTime.format(file.createdAt),
  uploadedAt: DateTime.formatNullable(file.uploadedAt),
  expiresAt: DateTime.format(file.expiresAt)
})
