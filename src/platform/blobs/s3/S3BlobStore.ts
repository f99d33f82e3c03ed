/** Blobs as objects of an S3 bucket. Large ones are uploaded in parts and become visible in one step. */
import type { Readable } from "node:stream"
import * as NodeStream from "@effect/platform-node/NodeStream"
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand
} from "@aws-sdk/client-s3"
import { Effect, Exit, Layer, Option, Sink, Stream } from "effect"
import * as BlobKey from "#streams/BlobKey.ts"
import * as BlobRange from "#streams/BlobRange.ts"
import { BlobStore, BlobStoreError, type Listed } from "#streams/BlobStore.ts"
import { type Free, splitParts } from "./SplitParts.ts"
import { type Head, longAnswerTimeoutMs, S3Bucket } from "./S3Bucket.ts"
import * as S3Failure from "./S3Failure.ts"
import * as S3Multipart from "./S3Multipart.ts"
import type { S3Options } from "./S3Options.ts"

/** Bytes. S3 accepts 10,000 parts: 78 GiB. */
const partSize = 8 * 1024 * 1024

/** Concurrent uploads of parts per blob. */
const partsAtOnce = 2

/** The longest time without a byte from S3. */
const idleLimit = "30 seconds"

const make = Effect.gen(function* () {
  const bucket = yield* S3Bucket
  const { ask, at, head } = bucket
  const multipart = S3Multipart.make(bucket)

  const putBytes = (key: string, bytes: Uint8Array) =>
    ask(
      "write a blob",
      (client, options) => client.send(new PutObjectCommand({ ...at(key), Body: bytes }), options),
      longAnswerTimeoutMs
    )

  const putParts = (key: string, parts: Stream.Stream<Buffer, BlobStoreError>, free: Free) =>
    Effect.acquireUseRelease(
      Effect.map(multipart.begin(key), (uploadId) => ({ key, uploadId })),
      (upload) =>
        parts.pipe(
          Stream.zipWithIndex,
          Stream.mapEffect(
            ([bytes, index]) =>
              Effect.tap(multipart.putPart(upload, index + 1, bytes), () =>
                Effect.sync(() => bytes.length === partSize && free.push(bytes))
              ),
            { concurrency: partsAtOnce }
          ),
          Stream.runCollect,
          Effect.flatMap((parts) => multipart.complete(upload, parts))
        ),
      (upload, exit) => (Exit.isSuccess(exit) ? Effect.void : Effect.ignore(multipart.abort(upload)))
    )

  const put: BlobStore["Service"]["put"] = Effect.fn("S3BlobStore.put")(function* (key, body) {
    yield* BlobKey.check(key)
    let size = 0
    const counted = Stream.tap(body instanceof Uint8Array ? Stream.make(body) : body, (chunk) =>
      Effect.sync(() => (size += chunk.length))
    )
    const free: Free = []
    const parts = splitParts(counted, { size: partSize, free })
    const [first, rest] = yield* Stream.peel(parts, Sink.take<Buffer>(2))
    if (first.length < 2) yield* putBytes(key, first[0] ?? Buffer.of())
    else yield* putParts(key, Stream.concat(Stream.fromIterable(first), rest), free)
    return size
  }, Effect.scoped)

  const open = (key: string, { etag }: Head, { length, start }: BlobRange.BlobRange) =>
    Effect.acquireRelease(
      ask("read a blob", async (client, options) => {
        const range = `bytes=${start}-${start + length - 1}`
        const { Body, ContentLength } = await client.send(
          new GetObjectCommand({ ...at(key), IfMatch: `"${etag}"`, Range: range }),
          options
        )
        // The SDK's type covers browsers too.
        return { body: Body as Readable, length: ContentLength }
      }),
      ({ body }) => Effect.sync(() => body.destroy()),
      { interruptible: true }
    )

  const stalled = new BlobStoreError({ reason: "could not read a blob: S3 stopped sending it" })
  const cutShort = new BlobStoreError({ reason: "could not read a blob: S3 sent less or more than there is" })

  /** Fails instead of ending early, because a header may already announce the length. */
  const read = (key: string, found: Head, range: BlobRange.BlobRange) =>
    Stream.unwrap(
      Effect.map(open(key, found, range), ({ body, length }) => {
        if (length !== range.length) return Stream.fail(cutShort)
        let missing = range.length
        return NodeStream.fromReadable<Uint8Array, BlobStoreError>({
          evaluate: () => body,
          onError: (cause) => S3Failure.of("read a blob", cause)
        }).pipe(
          Stream.timeoutOrElse({ duration: idleLimit, orElse: () => Stream.fail(stalled) }),
          Stream.tap((chunk) => Effect.sync(() => (missing -= chunk.length))),
          Stream.concat(Stream.suspend(() => (missing === 0 ? Stream.empty : Stream.fail(cutShort))))
        )
      })
    ).pipe(
      Stream.catchIf(S3Failure.isAbsent, () =>
        Stream.fail(new BlobStoreError({ reason: "the blob was removed before it was read" }))
      )
    )

  const get: BlobStore["Service"]["get"] = Effect.fn("S3BlobStore.get")(function* (key, range) {
    const found = yield* head(yield* BlobKey.check(key))
    if (found === null) return null
    const within = yield* BlobRange.within(found.size, range)
    return { ...found, body: within.length === 0 ? Stream.empty : read(key, found, within) }
  })

  const size = Effect.fn("S3BlobStore.size")(function* (key: string) {
    return (yield* head(yield* BlobKey.check(key)))?.size ?? null
  })

  const remove = Effect.fn("S3BlobStore.remove")(function* (key: string) {
    yield* BlobKey.check(key)
    yield* ask("remove a blob", (client, options) => client.send(new DeleteObjectCommand(at(key)), options))
  })

  const page = (folder: string) => (after: string | undefined) =>
    ask("list blobs", (client, options) => {
      const { Bucket, Key } = at(`${folder}/`)
      const query = { Bucket, Prefix: Key, Delimiter: "/" }
      return client.send(
        new ListObjectsV2Command({ ...query, ...(after === undefined ? {} : { ContinuationToken: after }) }),
        options
      )
    }).pipe(
      Effect.map(({ Contents = [], IsTruncated, NextContinuationToken }) => {
        const { length } = at("").Key
        const listed = Contents.map(({ Key = "", Size = 0 }): Listed => ({
          key: Key.slice(length),
          size: Size
        }))
        return [
          listed.filter(({ key }) => BlobKey.isBlobKey(key)),
          IsTruncated === true ? Option.some(NextContinuationToken) : Option.none()
        ] as const
      })
    )

  const list: BlobStore["Service"]["list"] = (folder) =>
    Stream.unwrap(
      Effect.map(BlobKey.check(folder), (folder) =>
        Stream.paginate<string | undefined, Listed, BlobStoreError>(undefined, page(folder))
      )
    )

  return BlobStore.of({ put, get, size, remove, list })
})

export const layerNoDeps = Layer.effect(BlobStore, make)

/** Checks the bucket first, and fails with advice for the operator. */
export const layer = (options: S3Options) =>
  Layer.effect(
    BlobStore,
    Effect.gen(function* () {
      const { check } = yield* S3Bucket
      yield* check
      return yield* make
    })
  ).pipe(Layer.provide(S3Bucket.layer(options)))
