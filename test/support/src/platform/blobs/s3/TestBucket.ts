/** A new bucket at the shared test server, and the project's store for it. */
import { Effect, Layer } from "effect"
import { S3Bucket } from "#src/platform/blobs/s3/S3Bucket.ts"
import * as S3Options from "#src/platform/blobs/s3/S3Options.ts"
import * as S3Server from "#test/support/servers/S3Server.ts"

// The SDK finds the credentials here. Test processes use no others.
Object.assign(process.env, S3Server.credentials)

/** @param query further options. */
export const options = Effect.fnUntraced(function* (query = "") {
  const server = yield* S3Server.shared
  const bucket = yield* S3Server.newBucket(server)
  const text = `${S3Server.blobStore(server, bucket)}${query}`
  return yield* Effect.fromResult(S3Options.parse(text)).pipe(Effect.orDie)
})

/** A layer over a fresh bucket. */
export const provide = <A, E, R>(
  layer: (options: S3Options.S3Options) => Layer.Layer<A, E, R>,
  query?: string
): Layer.Layer<A, E, R> => Layer.unwrap(Effect.map(options(query), layer))

/** A missing bucket. */
export const elsewhere: S3Options.S3Options = {
  bucket: "bucket",
  endpoint: "http://127.0.0.1:1",
  publicEndpoint: null,
  region: null,
  prefix: null,
  forcePathStyle: true
}

/** At an address that may be a proxy. */
export const at = (options: S3Options.S3Options, port: number): S3Options.S3Options => ({
  ...options,
  endpoint: `http://127.0.0.1:${port}`
})

export const layer = provide(S3Bucket.layer)
