/** The wire form of upload URLs (contract, "Uploads"). */
import { Schema } from "effect"
import type { Uploading } from "../Uploads.ts"

const uri = (description: string) => Schema.String.annotate({ description, format: "uri" })

const fileUrl = uri("The canonical URL of the file: 404 until all bytes have come.")

export const exampleId = "Zm9vYmFyYmF6cXV4cXV1eDEy"

export const exampleUrl = `https://media.example.com/media/${exampleId}/cat.png`

const exampleUploadId = "mpu_p5jXN8AQM9LWM0D4loKWxJ"

const signed = "expires=1767614400&signature=k3Jw"

export const InitiatedBody = Schema.Struct({
  upload_url: uri(
    "PUT the bytes to it, with the declared `Content-Type` and without `Authorization`. Good for an hour."
  ),
  file_url: fileUrl
}).annotate({
  identifier: "Upload",
  description: "The upload URL, and the URL of the file.",
  examples: [{ upload_url: `${exampleUrl}?${signed}`, file_url: exampleUrl }]
})

export const MultipartBody = Schema.Struct({
  fileUrl,
  uploadId: Schema.String.annotate({ description: "Of the upload in parts." }),
  uploadKey: Schema.String.annotate({ description: "Of the file." })
}).annotate({
  identifier: "MultipartUpload",
  description: "The ids for uploading parts, and the URL of the file.",
  examples: [{ fileUrl: exampleUrl, uploadId: exampleUploadId, uploadKey: exampleId }]
})

export const PartUrlBody = Schema.Struct({
  presignedUrl: uri(
    "PUT the part's bytes to it, without `Authorization`, and keep the `ETag` of the answer. Good for an hour."
  )
}).annotate({
  identifier: "PartUrl",
  description: "The upload URL of a part.",
  examples: [{ presignedUrl: `${exampleUrl}?uploadId=${exampleUploadId}&partNumber=1&${signed}` }]
})

export const CompletedBody = Schema.Struct({ fileUrl: uri("The canonical URL of the file.") }).annotate({
  identifier: "CompletedUpload",
  description: "The file can be read.",
  examples: [{ fileUrl: exampleUrl }]
})

const UploadedPartBody = Schema.Struct({
  partNumber: Schema.Int,
  etag: Schema.String.annotate({ description: "Without quotes." }),
  size: Schema.Int.annotate({ description: "Bytes." })
}).annotate({ identifier: "UploadedPart" })

export const UploadingBody = Schema.Struct({
  fileUrl,
  fileName: Schema.String,
  contentType: Schema.String,
  size: Schema.NullOr(Schema.Int).annotate({ description: "Declared bytes; null without a declaration." }),
  parts: Schema.Array(UploadedPartBody).annotate({
    description: "The parts so far, by ascending number."
  })
}).annotate({
  identifier: "UploadInParts",
  description: "A multipart upload and its parts so far.",
  examples: [
    {
      fileUrl: exampleUrl,
      fileName: "cat.png",
      contentType: "image/png",
      size: 10_000_000,
      parts: [{ partNumber: 1, etag: "5d41402abc4b2a76b9719d911017c592", size: 5_242_880 }]
    }
  ]
})
export type UploadingBody = typeof UploadingBody.Type

export const uploading = ({ contentType, fileName, fileUrl, parts, size }: Uploading): UploadingBody => ({
  fileUrl,
  fileName,
  contentType,
  size,
  parts: parts.map(({ etag, partNumber, size }) => ({ partNumber, etag, size }))
})
