/** The check of the bucket of `BLOB_STORE`: lists it, and puts, gets and deletes an object that it makes for that. */
import * as crypto from "node:crypto"
import { Clock, Effect } from "effect"
import * as BlobStorage from "#src/platform/blobs/BlobStorage.ts"
import type { S3Options } from "#src/platform/blobs/s3/S3Options.ts"
import * as Check from "../Check.ts"

/** Loaded only when it is used, because loading takes time. */
const S3 = Effect.promise(async () => {
  const [sdk, bucket, failure, presigning] = await Promise.all([
    import("@aws-sdk/client-s3"),
    import("#src/platform/blobs/s3/S3Bucket.ts"),
    import("#src/platform/blobs/s3/S3Failure.ts"),
    import("#src/platform/blobs/s3/Presigning.ts")
  ])
  return { ...sdk, ...bucket, ...failure, ...presigning }
})

/** How long the URL of the trial is valid, ms. */
const validMs = 60_000

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
  const same = yield* Effect.onExit(
    Effect.gen(function* () {
      yield* bucket.ask("put an object", (client, options) =>
        client.send(new PutObjectCommand({ ...object, Body: content }), options)
      )
      yield* presign(bucket, new GetObjectCommand(object), { expiresAt: begun + validMs })
      return yield* bucket.ask("get an object", async (client, options) => {
        const { Body } = await client.send(new GetObjectCommand(object), options)
        return (await Body?.transformToString()) === content
      })
    }),
    (exit) => (exit._tag === "Failure" ? Effect.ignore(remove) : Effect.void)
  )
  yield* remove
  const took = (yield* Clock.currentTimeMillis) - begun
  return same
    ? Check.ok(`Objects can be listed, put, got and deleted (${took} ms)`)
    : Check.failed("An object that was put is another when it is got", "Look at the S3 server and at proxies")
}, Effect.scoped)

export const check: Check.Check = {
  name: "s3",
  look: Effect.gen(function* () {
    const choice = yield* BlobStorage.blobStore.config
    if (choice._tag !== "S3") return Check.skipped("Blobs are not in S3")
    const { remedyOf } = yield* S3
    return yield* tried(choice.options).pipe(
      Effect.catchTag("BlobStoreError", (error) => {
        const remedy = remedyOf(error)
        // The reason of the bucket's own check ends with the advice.
        const why = error.reason.replace(`: ${remedy}`, "")
        return Effect.succeed(Check.failed(`This machine ${why}`, `To mend: ${remedy}`))
      })
    )
  })
}
