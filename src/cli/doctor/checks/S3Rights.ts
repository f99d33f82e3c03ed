/** The check of the bucket of `BLOB_STORE`: lists it, and puts, gets and deletes an object that it makes for that. */
import * as crypto from "node:crypto"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Clock, Effect } from "effect"
import { HttpClient } from "effect/http"
import * as BlobStorage from "#src/platform/blobs/BlobStorage.ts"
import * as S3Failure from "#src/platform/blobs/s3/S3Failure.ts"
import type { S3Options } from "#src/platform/blobs/s3/S3Options.ts"
import type { BlobStoreError } from "#streams/BlobStore.ts"
import * as Check from "../Check.ts"

/** Loaded only when it is used, because loading takes time. */
const S3 = Effect.promise(async () => {
  const [sdk, { S3Bucket }, { presign }] = await Promise.all([
    import("@aws-sdk/client-s3"),
    import("#src/platform/blobs/s3/S3Bucket.ts"),
    import("#src/platform/blobs/s3/Presigning.ts")
  ])
  return { ...sdk, S3Bucket, presign }
})

/** How long the URL of the trial is valid, ms. */
const validMs = 60_000

/** What clients get at the URL; `null` when they get nothing. */
const gotBy = (url: string) =>
  HttpClient.get(url).pipe(
    Effect.flatMap(({ status, text }) => (status === 200 ? text : Effect.succeed(null))),
    Effect.timeout("5 seconds"),
    Effect.orElseSucceed(() => null),
    Effect.provide(NodeHttpClient.layerUndici)
  )

const tried = Effect.fnUntraced(function* (options: S3Options) {
  const { DeleteObjectCommand, GetObjectCommand, presign, PutObjectCommand, S3Bucket } = yield* S3
  const bucket = yield* Effect.provide(S3Bucket, S3Bucket.layer(options))
  yield* bucket.check
  const object = bucket.at(`inferlog-doctor/${crypto.randomUUID()}`)
  const content = crypto.randomUUID()
  const begun = yield* Clock.currentTimeMillis
  const remove = bucket.ask("delete an object", (client, options) =>
    client.send(new DeleteObjectCommand(object), options)
  )
  const got = yield* Effect.onExit(
    Effect.gen(function* () {
      yield* bucket.ask("put an object", (client, options) =>
        client.send(new PutObjectCommand({ ...object, Body: content }), options)
      )
      const own = yield* bucket.ask("get an object", async (client, options) => {
        const { Body } = await client.send(new GetObjectCommand(object), options)
        return Body?.transformToString()
      })
      const url = yield* presign(bucket, new GetObjectCommand(object), { expiresAt: begun + validMs })
      return { own, byUrl: yield* gotBy(url) }
    }),
    // Where nothing could be put, there is often no right to delete either.
    (exit) => (exit._tag === "Failure" ? Effect.ignore(remove) : Effect.void)
  )
  yield* remove
  const took = (yield* Clock.currentTimeMillis) - begun
  if (got.own !== content) {
    return Check.failed("What was put is not what is got", "Look at the S3 server and at proxies before it")
  }
  if (got.byUrl !== content) {
    return Check.warning(
      "Objects can be listed, put, got and deleted, but this machine cannot get one by a presigned URL",
      "Correct publicEndpoint in BLOB_STORE, if clients cannot either"
    )
  }
  return Check.ok(`Objects can be listed, put, got (also by a presigned URL) and deleted, in ${took} ms`)
}, Effect.scoped)

const verdictOf = (error: BlobStoreError): Check.Verdict => {
  const remedy = S3Failure.remedyOf(error)
  // The reason of the bucket's own check ends with the advice.
  const why = error.reason.replace(`: ${remedy}`, "")
  return Check.failed(`The trial ${why}`, `To mend: ${remedy}`)
}

export const check: Check.Check = {
  name: "s3",
  look: Effect.gen(function* () {
    const choice = yield* BlobStorage.blobStore.config
    if (choice._tag !== "S3") return Check.skipped("Blobs are not in S3")
    return yield* tried(choice.options).pipe(
      Effect.catchTag("BlobStoreError", (error) => Effect.succeed(verdictOf(error)))
    )
  })
}
