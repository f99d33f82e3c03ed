/** Calls the routes of uploads and files. */
import { Schema } from "effect"
import { route } from "#src/cli/platform/Platform.ts"

interface NewFile {
  readonly fileName: string
  readonly contentType: string
  /** Bytes. */
  readonly size: number
}

const newFile = ({ contentType, fileName, size }: NewFile) => ({
  file_name: fileName,
  content_type: contentType,
  size
})

export const initiate = route(
  Schema.Struct({ upload_url: Schema.String, file_url: Schema.String }),
  (file: NewFile) => ({ method: "POST", path: "/storage/upload/initiate", body: newFile(file) })
)

/** A multipart upload that has begun. */
export const Multipart = Schema.Struct({
  fileUrl: Schema.String,
  uploadId: Schema.String,
  uploadKey: Schema.String
})
export type Multipart = typeof Multipart.Type

export const initiateMultipart = route(Multipart, (file: NewFile) => ({
  method: "POST",
  path: "/storage/upload/initiate-multipart",
  body: newFile(file)
}))

const idsOf = ({ uploadId, uploadKey }: Multipart) => ({ uploadId, uploadKey })

export const partUrl = route(
  Schema.Struct({ presignedUrl: Schema.String }),
  (upload: Multipart, partNumber: number) => ({
    method: "GET",
    path: "/storage/upload/multipart-url",
    query: { ...idsOf(upload), partNumber: String(partNumber) }
  })
)

const StoredPart = Schema.Struct({ partNumber: Schema.Int, etag: Schema.String, size: Schema.Finite })
export type StoredPart = typeof StoredPart.Type

/** The parts that the server has. */
export const parts = route(
  Schema.Struct({ size: Schema.NullOr(Schema.Finite), parts: Schema.Array(StoredPart) }),
  (upload: Multipart) => ({ method: "GET", path: "/storage/upload/parts", query: idsOf(upload) })
)

/** ETags are without quotes. */
export const complete = route(
  Schema.Struct({ fileUrl: Schema.String }),
  (upload: Multipart, parts: ReadonlyArray<Pick<StoredPart, "partNumber" | "etag">>) => ({
    method: "POST",
    path: "/storage/upload/complete",
    body: { ...idsOf(upload), parts }
  })
)

/** Times are ISO 8601. */
const File = Schema.Struct({
  id: Schema.String,
  fileName: Schema.String,
  url: Schema.String,
  contentType: Schema.String,
  size: Schema.NullOr(Schema.Finite),
  status: Schema.String,
  source: Schema.String,
  requestId: Schema.NullOr(Schema.String),
  checksums: Schema.Struct({ sha256: Schema.NullOr(Schema.String) }),
  createdAt: Schema.String,
  uploadedAt: Schema.NullOr(Schema.String),
  expiresAt: Schema.NullOr(Schema.String)
})
export type File = typeof File.Type

const filePath = (id: string) => `/files/${encodeURIComponent(id)}`

export const file = route(File, (id: string) => ({ method: "GET", path: filePath(id) }))

export const remove = route(Schema.Unknown, (id: string) => ({ method: "DELETE", path: filePath(id) }))

export const files = route(
  Schema.Struct({ total: Schema.Int, data: Schema.Array(File), next: Schema.NullOr(Schema.String) }),
  (query: Readonly<Record<string, string>>) => ({ method: "GET", path: "/files", query })
)
