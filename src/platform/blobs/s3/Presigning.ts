/** Presigned URLs, made without calling S3. Each allows one operation on one object until it expires. */
import type {
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  UploadPartCommand
} from "@aws-sdk/client-s3"
import { getSignedUrl } from "@aws-sdk/s3-request-presigner"
import { Clock, Effect } from "effect"
import * as S3Failure from "./S3Failure.ts"
import type { S3Bucket } from "./S3Bucket.ts"

export type Signable = GetObjectCommand | HeadObjectCommand | PutObjectCommand | UploadPartCommand

export interface SigningOptions {
  /** Unix time in ms. */
  readonly expiresAt: number
  /** Headers that the client must send as in the command. The SDK adds some of its own. */
  readonly signed?: ReadonlyArray<string>
}

/** The longest that S3 allows. */
const longestSeconds = 7 * 24 * 60 * 60

/** S3 counts whole seconds from the creation of a URL. A URL that has already expired is dated in the past. */
const times = (now: number, expiresAt: number) => {
  const end = Math.floor(expiresAt / 1_000)
  const begin = Math.min(Math.floor(now / 1_000), end - 1)
  return { signingDate: new Date(begin * 1_000), expiresIn: Math.min(end - begin, longestSeconds) }
}

export const presign = Effect.fnUntraced(function* (
  { signer }: S3Bucket["Service"],
  command: Signable,
  { expiresAt, signed = [] }: SigningOptions
) {
  const now = yield* Clock.currentTimeMillis
  return yield* Effect.tryPromise({
    // The SDK's types of commands disagree on optional properties.
    try: () =>
      getSignedUrl(signer, command as Parameters<typeof getSignedUrl>[1], {
        ...times(now, expiresAt),
        signableHeaders: new Set(signed)
      }),
    catch: (cause) => S3Failure.of("sign a URL", cause)
  })
})
