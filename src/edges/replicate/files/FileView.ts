/** A stored file as a file of Replicate's API. */
import { Schema } from "effect"
import * as DateTime from "#src/platform/views/DateTime.ts"

export const Body = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  content_type: Schema.String,
  size: Schema.Int.annotate({ description: "Bytes; 0 while unknown." }),
  etag: Schema.String.annotate({ description: "Its checksum, or its id while that is unknown." }),
  checksums: Schema.Struct({
    sha256: Schema.optionalKey(Schema.String).annotate({ description: "Hex; absent while unknown." })
  }),
  metadata: Schema.Struct({}).annotate({ description: "None is kept." }),
  created_at: DateTime.DateTime,
  expires_at: DateTime.DateTime,
  urls: Schema.Struct({
    get: Schema.String.annotate({
      description: "Its bytes, for everyone who knows the URL: also the input of a model."
    })
  })
}).annotate({ identifier: "ReplicateFile", description: "A stored file." })

/** Times are Unix time in ms. */
interface Shown {
  readonly id: string
  readonly fileName: string
  readonly contentType: string
  readonly size: number | null
  readonly sha256: string | null
  readonly createdAt: number
  readonly expiresAt: number
  readonly url: string
}

export const record = (file: Shown): typeof Body.Type => ({
  id: file.id,
  name: file.fileName,
  content_type: file.contentType,
  size: file.size ?? 0,
  etag: file.sha256 ?? file.id,
  checksums: file.sha256 === null ? {} : { sha256: file.sha256 },
  metadata: {},
  created_at: DateTime.format(file.createdAt),
  expires_at: DateTime.format(file.expiresAt),
  urls: { get: file.url }
})
