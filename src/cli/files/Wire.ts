/** Calls the routes of uploads and files. Ignores response fields that the commands do not need. */
import { Schema } from "effect"
import { caller } from "#src/cli/platform/Platform.ts"

export interface Announced {
  readonly fileName: string
  readonly contentType: string
  /** Bytes. */
  readonly size: number
}

const announcement = ({ contentType, fileName, size }: Announced) => ({
  file_name: fileName,
  content_type: contentType,
  size
})

const Initiated = Schema.Struct({ upload_url: Schema.String, file_url: Schema.String })
const callInitiate = caller(Initiated)

export const initiate = (announced: Announced) =>
  callInitiate({ method: "POST", path: "/storage/upload/initiate", body: announcement(announced) })

const Begun = Schema.Struct({
  fileUrl: Schema.String,
  uploadId: Schema.String,
  uploadKey: Schema.String
})
const callBegin = caller(Begun)

export const initiateMultipart = (announced: Announced) =>
  callBegin({
    method: "POST",
    path: "/storage/upload/initiate-multipart",
    body: announcement(announced)
  })

export interface Named {
  readonly uploadId: string
  readonly uploadKey: string
}

const nameOf = ({ uploadId, uploadKey }: Named) => ({ uploadId, uploadKey })

const callPartUrl = caller(Schema.Struct({ presignedUrl: Schema.String }))

export const partUrl = (named: Named, partNumber: number) =>
  callPartUrl({
    method: "GET",
    path: "/storage/upload/multipart-url",
    query: { ...nameOf(named), partNumber: String(partNumber) }
  })

const Parts = Schema.Struct({
  fileUrl: Schema.String,
  size: Schema.NullOr(Schema.Finite),
  parts: Schema.Array(Schema.Struct({ partNumber: Schema.Int, etag: Schema.String, size: Schema.Finite }))
})
export type Parts = typeof Parts.Type
const callParts = caller(Parts)

export const parts = (named: Named) =>
  callParts({ method: "GET", path: "/storage/upload/parts", query: nameOf(named) })

export interface SentPart {
  readonly partNumber: number
  /** Without quotes. */
  readonly etag: string
}

const callComplete = caller(Schema.Struct({ fileUrl: Schema.String }))

export const complete = (named: Named, parts: ReadonlyArray<SentPart>) =>
  callComplete({
    method: "POST",
    path: "/storage/upload/complete",
    body: { ...nameOf(named), parts }
  })

/** Times are ISO 8601. */
export const File = Schema.Struct({
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
const callFile = caller(File)
const callRemove = caller(Schema.Unknown)

const filePath = (id: string) => `/files/${encodeURIComponent(id)}`

export const file = (id: string) => callFile({ method: "GET", path: filePath(id) })

export const remove = (id: string) => callRemove({ method: "DELETE", path: filePath(id) })

const callFiles = caller(
  Schema.Struct({ total: Schema.Int, data: Schema.Array(File), next: Schema.NullOr(Schema.String) })
)

export const files = (query: Readonly<Record<string, string>>) =>
  callFiles({ method: "GET", path: "/files", query })
