/** Multipart uploads to S3, by this server and by clients. */
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListPartsCommand,
  UploadPartCommand
} from "@aws-sdk/client-s3"
import { Effect, Option, Stream } from "effect"
import type { UploadedPart } from "../Part.ts"
import { BlobStoreError } from "#streams/BlobStore.ts"
import { type Head, longAnswerTimeoutMs, type S3Bucket, withoutQuotes } from "./S3Bucket.ts"
import * as S3Failure from "./S3Failure.ts"

export interface Upload {
  readonly key: string
  readonly uploadId: string
}

/** Parts that S3 returns in one answer. */
const mostInAnswer = 1_000

export const make = ({ ask, at, head }: S3Bucket["Service"]) => {
  const of = ({ key, uploadId }: Upload) => ({ ...at(key), UploadId: uploadId })

  const begin = (key: string, contentType?: string) =>
    ask("begin an upload in parts", (client, options) =>
      client.send(
        new CreateMultipartUploadCommand({
          ...at(key),
          ...(contentType === undefined ? {} : { ContentType: contentType })
        }),
        options
      )
    ).pipe(
      Effect.flatMap(({ UploadId }) =>
        UploadId === undefined
          ? Effect.fail(new BlobStoreError({ reason: "could not begin an upload in parts: S3 gave no id" }))
          : Effect.succeed(UploadId)
      )
    )

  const putPart = (upload: Upload, partNumber: number, bytes: Uint8Array) =>
    ask(
      "write a blob",
      (client, options) =>
        client.send(new UploadPartCommand({ ...of(upload), PartNumber: partNumber, Body: bytes }), options),
      longAnswerTimeoutMs
    ).pipe(
      Effect.map(({ ETag }): UploadedPart => ({ partNumber, etag: withoutQuotes(ETag), size: bytes.length }))
    )

  const page = (upload: Upload, size: number) => (after: string | undefined) =>
    ask("list the parts of an upload", (client, options) =>
      client.send(
        new ListPartsCommand({
          ...of(upload),
          MaxParts: size,
          ...(after === undefined ? {} : { PartNumberMarker: after })
        }),
        options
      )
    ).pipe(
      Effect.map(({ IsTruncated, NextPartNumberMarker, Parts = [] }) => {
        const parts = Parts.map(({ ETag, PartNumber = 0, Size = 0 }): UploadedPart => ({
          partNumber: PartNumber,
          etag: withoutQuotes(ETag),
          size: Size
        }))
        return [parts, IsTruncated === true ? Option.some(NextPartNumberMarker) : Option.none()] as const
      })
    )

  /** In ascending order; none when the upload does not exist. */
  const list = (upload: Upload, pageSize = mostInAnswer) =>
    Stream.runCollect(
      Stream.paginate<string | undefined, UploadedPart, BlobStoreError>(undefined, page(upload, pageSize))
    ).pipe(Effect.catchIf(S3Failure.isNoUpload, () => Effect.succeed([])))

  /** Whether the object has the requested parts and bytes: then an earlier attempt has completed it. */
  const isMadeOf = (found: Head, parts: ReadonlyArray<UploadedPart>): boolean =>
    found.size === parts.reduce((sum, { size }) => sum + size, 0) && found.etag.endsWith(`-${parts.length}`)

  /** Returns the object's metadata, read afterwards: some servers omit it in the answer. Repeating it is safe. */
  const complete = Effect.fnUntraced(function* (upload: Upload, parts: ReadonlyArray<UploadedPart>) {
    const asked = ask(
      "put the parts of an upload together",
      (client, options) =>
        client.send(
          new CompleteMultipartUploadCommand({
            ...of(upload),
            MultipartUpload: {
              Parts: parts.map(({ etag, partNumber }) => ({ PartNumber: partNumber, ETag: `"${etag}"` }))
            }
          }),
          options
        ),
      longAnswerTimeoutMs
    )
    const lost = yield* asked.pipe(
      Effect.as(null),
      Effect.catchIf(S3Failure.isNoUpload, (error) => Effect.succeed(error))
    )
    const found = yield* head(upload.key)
    if (found !== null && (lost === null || isMadeOf(found, parts))) return found
    return yield* (
      lost ?? new BlobStoreError({ reason: "the parts of an upload were put together, and are gone" })
    )
  })

  /** Does nothing when the upload does not exist. */
  const abort = (upload: Upload) =>
    ask("discard an upload in parts", (client, options) =>
      client.send(new AbortMultipartUploadCommand(of(upload)), options)
    ).pipe(
      Effect.asVoid,
      Effect.catchIf(S3Failure.isNoUpload, () => Effect.void)
    )

  return { begin, putPart, list, complete, abort }
}
