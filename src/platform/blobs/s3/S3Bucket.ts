/** A bucket on an S3 server. Calls have time limits, and interrupted ones are aborted. */
import { HeadObjectCommand, ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3"
import { Context, Duration, Effect, Layer } from "effect"
import { BlobStoreError } from "#streams/BlobStore.ts"
import * as S3Failure from "./S3Failure.ts"
import type { S3Options } from "./S3Options.ts"

/** Per attempt: until the connection is open, and until the head of the answer has arrived. */
const connectTimeoutMs = 3_000
const answerTimeoutMs = 10_000

/** The same, when the request carries megabytes or S3 has to assemble them. */
export const longAnswerTimeoutMs = 60_000

/** Attempts per request. */
const tries = 3

/** The limit over all attempts. */
const limitOf = (answerMs: number) => Duration.millis(tries * (connectTimeoutMs + answerMs) + 5_000)

/** Slow readers use their connections for long. With too few, other calls would fail as if S3 were away. */
const maxConnections = 1_024

/** The metadata of an object. */
export interface Head {
  /** Bytes. */
  readonly size: number
  /** Without quotes. */
  readonly etag: string
  /** As sent with the bytes, or S3's own for bytes that were sent without one. */
  readonly contentType: string | undefined
}

export interface RequestOptions {
  readonly abortSignal: AbortSignal
  readonly requestTimeout: number
}

export const withoutQuotes = (etag: string | undefined): string => (etag ?? "").replace(/^"|"$/g, "")

/** Checksums only where S3 requires them: other servers lack them, and a presigned URL would have an empty body's. */
const clientOf = (options: S3Options, endpoint: string | null) =>
  new S3Client({
    ...(endpoint === null ? {} : { endpoint, region: "us-east-1" }),
    ...(options.region === null ? {} : { region: options.region }),
    forcePathStyle: options.forcePathStyle,
    maxAttempts: tries,
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: {
      connectionTimeout: connectTimeoutMs,
      requestTimeout: answerTimeoutMs,
      throwOnRequestTimeout: true,
      httpAgent: { maxSockets: maxConnections },
      httpsAgent: { maxSockets: maxConnections }
    }
  })

const scopedClient = (options: S3Options, endpoint: string | null) =>
  Effect.acquireRelease(
    Effect.sync(() => clientOf(options, endpoint)),
    (client) => Effect.sync(() => client.destroy())
  )

export class S3Bucket extends Context.Service<
  S3Bucket,
  {
    /** The object for a blob's key. */
    at(key: string): { readonly Bucket: string; readonly Key: string }
    /** Signs requests of clients. Sends nothing. */
    readonly signer: S3Client
    /** @param operation for errors: "read a blob". @param answerMs time until the head of the answer, per attempt. */
    ask<A>(
      operation: string,
      send: (client: S3Client, options: RequestOptions) => Promise<A>,
      answerMs?: number
    ): Effect.Effect<A, BlobStoreError>
    /** `null` when there is no such object. */
    head(key: string): Effect.Effect<Head | null, BlobStoreError>
    /** Fails with advice for the operator unless the bucket exists and its objects can be listed. */
    readonly check: Effect.Effect<void, BlobStoreError>
  }
>()("inferlog/src/platform/blobs/s3/S3Bucket") {
  static readonly layer = (options: S3Options) =>
    Layer.effect(
      S3Bucket,
      Effect.gen(function* () {
        const client = yield* scopedClient(options, options.endpoint)
        const signer = yield* scopedClient(options, options.publicEndpoint ?? options.endpoint)
        const Bucket = options.bucket
        const at = (key: string) => ({
          Bucket,
          Key: options.prefix === null ? key : `${options.prefix}/${key}`
        })

        const ask = <A>(
          operation: string,
          send: (client: S3Client, options: RequestOptions) => Promise<A>,
          answerMs = answerTimeoutMs
        ) =>
          Effect.tryPromise({
            try: (abortSignal) => send(client, { abortSignal, requestTimeout: answerMs }),
            catch: (cause) => S3Failure.of(operation, cause)
          }).pipe(
            Effect.timeoutOrElse({
              duration: limitOf(answerMs),
              orElse: () =>
                Effect.fail(new BlobStoreError({ reason: `could not ${operation}: S3 took too long` }))
            })
          )

        const head = (key: string) =>
          ask("look up a blob", (client, options) =>
            client.send(new HeadObjectCommand(at(key)), options)
          ).pipe(
            Effect.map(({ ContentLength = 0, ContentType, ETag }): Head => ({
              size: ContentLength,
              etag: withoutQuotes(ETag),
              contentType: ContentType
            })),
            Effect.catchIf(S3Failure.isAbsent, () => Effect.succeed(null))
          )

        // A HEAD of the bucket needs the same permission, and its refusal has no reason.
        const check = ask("use the bucket", (client, options) =>
          client.send(new ListObjectsV2Command({ Bucket, Prefix: at("").Key, MaxKeys: 1 }), options)
        ).pipe(Effect.asVoid, Effect.mapError(S3Failure.withRemedy))

        return S3Bucket.of({ at, signer, ask, head, check })
      })
    )
}
