/** URLs that carry their own credentials, for one operation on one object until a moment. Made without asking S3. */
import { getSignedUrl } from "@aws-sdk/s3-request-presigner"
import { Clock, Effect } from "effect"
import * as S3Failure from "./S3Failure.ts"
import type { S3Bucket } from "./S3Bucket.ts"

type Command = Parameters<typeof getSignedUrl>[1]

/** What S3 takes at most. */
const longestSeconds = 7 * 24 * 60 * 60

/** Headers of ours are signed where a command has them: whoever uses the URL has to send the same. */
const signableHeaders = new Set(["content-type", "content-length"])

/** S3 counts whole seconds from when a URL was made. One that is over already is made in the past. */
const times = (now: number, expiresAt: number) => {
  const end = Math.floor(expiresAt / 1_000)
  const begin = Math.min(Math.floor(now / 1_000), end - 1)
  return { signingDate: new Date(begin * 1_000), expiresIn: Math.min(end - begin, longestSeconds) }
}

/** @param expiresAt Unix time in ms. */
export const presign = Effect.fnUntraced(function* (
  { signer }: S3Bucket["Service"],
  command: Command,
  expiresAt: number
) {
  const now = yield* Clock.currentTimeMillis
  return yield* Effect.tryPromise({
    try: () => getSignedUrl(signer, command, { ...times(now, expiresAt), signableHeaders }),
    catch: (cause) => S3Failure.of("sign a URL", cause)
  })
})
