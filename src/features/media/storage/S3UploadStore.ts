/** Clients send the bytes of files to S3 directly. Only S3 knows what has arrived, with its sizes and ETags. */
import { DeleteObjectCommand, PutObjectCommand, UploadPartCommand } from "@aws-sdk/client-s3"
import { Effect, Layer, Stream } from "effect"
import * as FileKeys from "./FileKeys.ts"
import * as FileLimits from "./FileLimits.ts"
import type { UploadedPart } from "#src/platform/blobs/Part.ts"
import { type Arrived, PartsRefused, UploadStore } from "./UploadStore.ts"
import { BlobStore, type BlobStoreError } from "#streams/BlobStore.ts"
import { presign } from "#src/platform/blobs/s3/Presigning.ts"
import { type Head, S3Bucket } from "#src/platform/blobs/s3/S3Bucket.ts"
import * as S3Failure from "#src/platform/blobs/s3/S3Failure.ts"
import * as S3Multipart from "#src/platform/blobs/s3/S3Multipart.ts"
import type { S3Options } from "#src/platform/blobs/s3/S3Options.ts"

const isPartRefused = S3Failure.hasCode("InvalidPart", "InvalidPartOrder")
const isTooSmall = S3Failure.hasCode("EntityTooSmall")

/** The bytes were never read here. */
const stored = ({ etag, size }: Head) => ({ size, etag, sha256: null })

/**
 * S3 servers give such a type to an object that was sent without one. The types that mean arbitrary bytes therefore count as
 * none, also where the client sent one.
 */
const isAnyBytes = (contentType: string | undefined): boolean =>
  contentType !== undefined && /^(?:binary|application)\/octet-stream$/i.test(contentType)

const arrived = (found: Head): Arrived => ({
  stored: stored(found),
  contentType: isAnyBytes(found.contentType) ? undefined : found.contentType
})

const numbersOf = (parts: ReadonlyArray<UploadedPart>) => parts.map(({ partNumber }) => partNumber)

/** S3 does not say which parts are wrong: those that differ from its list. Some servers require all parts. */
const refusal = (named: ReadonlyArray<UploadedPart>, come: ReadonlyArray<UploadedPart>): PartsRefused => {
  const etags = new Map(come.map(({ etag, partNumber }) => [partNumber, etag]))
  const missing = named.filter(({ partNumber }) => !etags.has(partNumber))
  if (missing.length > 0) return new PartsRefused({ reason: "missing", partNumbers: numbersOf(missing) })
  const differing = named.filter(({ etag, partNumber }) => etags.get(partNumber) !== etag)
  if (differing.length > 0) {
    return new PartsRefused({ reason: "etag_mismatch", partNumbers: numbersOf(differing) })
  }
  const isNamed = new Set(numbersOf(named))
  const others = come.filter(({ partNumber }) => !isNamed.has(partNumber))
  return new PartsRefused({ reason: "not_named", partNumbers: numbersOf(others) })
}

const tooSmall = (parts: ReadonlyArray<UploadedPart>): PartsRefused =>
  new PartsRefused({
    reason: "too_small",
    partNumbers: numbersOf(parts.slice(0, -1).filter(({ size }) => size < FileLimits.minPartBytes))
  })

export const layerNoDeps = Layer.effect(
  UploadStore,
  Effect.gen(function* () {
    const bucket = yield* S3Bucket
    const { ask, at, head } = bucket
    const blobs = yield* BlobStore
    const multipart = S3Multipart.make(bucket)

    const putUrl: UploadStore["Service"]["putUrl"] = Effect.fn("S3UploadStore.putUrl")((
      { id, size },
      { expiresAt }
    ) => {
      // Without a type: S3 would compare it character for character.
      const length = size === null ? {} : { ContentLength: size }
      const put = { ...at(FileKeys.whole(id)), ...length }
      return presign(bucket, new PutObjectCommand(put), { expiresAt, signed: ["content-length"] })
    })

    const begin: UploadStore["Service"]["begin"] = Effect.fn("S3UploadStore.begin")(({ contentType, id }) =>
      multipart.begin(FileKeys.whole(id), contentType)
    )

    const partUrl: UploadStore["Service"]["partUrl"] = Effect.fn("S3UploadStore.partUrl")((
      { id },
      { expiresAt, partNumber, uploadId }
    ) => {
      const part = { ...at(FileKeys.whole(id)), UploadId: uploadId, PartNumber: partNumber }
      return presign(bucket, new UploadPartCommand(part), { expiresAt })
    })

    const parts: UploadStore["Service"]["parts"] = Effect.fn("S3UploadStore.parts")((id, uploadId) =>
      multipart.list({ key: FileKeys.whole(id), uploadId })
    )

    const refused = Effect.fnUntraced(function* (
      id: Parameters<typeof parts>[0],
      uploadId: string,
      named: ReadonlyArray<UploadedPart>,
      error: BlobStoreError
    ) {
      if (isTooSmall(error)) return yield* tooSmall(named)
      if (isPartRefused(error)) return yield* refusal(named, yield* parts(id, uploadId))
      return yield* error
    })

    const assemble: UploadStore["Service"]["assemble"] = Effect.fn("S3UploadStore.assemble")(
      (id, uploadId, parts) =>
        multipart.complete({ key: FileKeys.whole(id), uploadId }, parts).pipe(
          Effect.map(stored),
          Effect.catch((error) => refused(id, uploadId, parts, error))
        )
    )

    const look: UploadStore["Service"]["look"] = Effect.fn("S3UploadStore.look")((id) =>
      Effect.map(head(FileKeys.whole(id)), (found) => found && arrived(found))
    )

    const remove: UploadStore["Service"]["remove"] = Effect.fn("S3UploadStore.remove")(
      function* (id, uploadId) {
        const key = FileKeys.whole(id)
        if (uploadId !== null) yield* multipart.abort({ key, uploadId })
        // For a multipart file from when blobs were on disk.
        yield* Stream.runForEach(blobs.list(FileKeys.partsFolder(id)), (part) => blobs.remove(part.key))
        yield* ask("remove a blob", (client, options) =>
          client.send(new DeleteObjectCommand(at(key)), options)
        )
      }
    )

    return UploadStore.of({
      isDirect: true,
      putUrl,
      begin,
      partUrl,
      parts,
      assemble,
      tidy: () => Effect.void,
      look,
      remove
    })
  })
)

export const layer = (options: S3Options) => layerNoDeps.pipe(Layer.provide(S3Bucket.layer(options)))
