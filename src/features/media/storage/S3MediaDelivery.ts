/** Redirects clients to S3, which sends the headers that we would send. */
import { GetObjectCommand, HeadObjectCommand } from "@aws-sdk/client-s3"
import { Clock, Duration, Effect, Layer } from "effect"
import * as FileKeys from "./FileKeys.ts"
import { MediaDelivery } from "./MediaDelivery.ts"
import { presign } from "#src/platform/blobs/s3/Presigning.ts"
import { S3Bucket } from "#src/platform/blobs/s3/S3Bucket.ts"
import type { S3Options } from "#src/platform/blobs/s3/S3Options.ts"

/** Validity of a URL, which outlives a deletion of the file. */
const lifetime = Duration.minutes(5)

export const layerNoDeps = Layer.effect(
  MediaDelivery,
  Effect.gen(function* () {
    const bucket = yield* S3Bucket

    const urlOf: MediaDelivery["Service"]["urlOf"] = Effect.fn("S3MediaDelivery.urlOf")(function* (file) {
      const expiresAt = (yield* Clock.currentTimeMillis) + Duration.toMillis(lifetime)
      const input = {
        ...bucket.at(FileKeys.whole(file.id)),
        ResponseContentType: file.contentType,
        ResponseContentDisposition: file.disposition
      }
      const command = file.method === "HEAD" ? new HeadObjectCommand(input) : new GetObjectCommand(input)
      return yield* presign(bucket, command, { expiresAt })
    })

    return MediaDelivery.of({ urlOf })
  })
)

export const layer = (options: S3Options) => layerNoDeps.pipe(Layer.provide(S3Bucket.layer(options)))
