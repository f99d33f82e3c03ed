/** A backup in a bucket. Of two backups at the same time, the second fails when it replaces the manifest. */
import { GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3"
import { Context, Effect, Layer, type Scope } from "effect"
import { BlobStore, type BlobStoreError } from "#streams/BlobStore.ts"
import * as S3BlobStore from "#src/platform/blobs/s3/S3BlobStore.ts"
import { longAnswerTimeoutMs, S3Bucket, withoutQuotes } from "#src/platform/blobs/s3/S3Bucket.ts"
import * as S3Failure from "#src/platform/blobs/s3/S3Failure.ts"
import type { S3Options } from "#src/platform/blobs/s3/S3Options.ts"
import { TargetInUse } from "../BackupError.ts"
import { type BackupTarget, manifestKey, type StoredManifest } from "./BackupTarget.ts"
import * as Scratch from "./Scratch.ts"

const isMoved = S3Failure.hasCode("PreconditionFailed", "ConditionalRequestConflict")

const nameOf = ({ bucket, prefix }: S3Options) => `s3://${bucket}${prefix === null ? "" : `/${prefix}`}`

/** Checks that the bucket can be used. */
export const open = Effect.fn("S3Target.open")(function* (
  options: S3Options
): Effect.fn.Return<BackupTarget, BlobStoreError, Scope.Scope> {
  const context = yield* Layer.build(
    S3BlobStore.layerNoDeps.pipe(Layer.provideMerge(S3Bucket.layer(options)))
  )
  const { ask, at, check } = Context.get(context, S3Bucket)
  yield* check

  const readManifest: BackupTarget["readManifest"] = ask("read the manifest", async (client, request) => {
    const { Body, ETag } = await client.send(new GetObjectCommand(at(manifestKey)), request)
    return { text: (await Body?.transformToString()) ?? "", revision: withoutQuotes(ETag) }
  }).pipe(
    Effect.map((found): StoredManifest | null => found),
    Effect.catchIf(S3Failure.isAbsent, () => Effect.succeed(null))
  )

  const put = (text: string, condition: { readonly IfNoneMatch?: string; readonly IfMatch?: string }) =>
    ask(
      "write the manifest",
      (client, request) =>
        client.send(
          new PutObjectCommand({ ...at(manifestKey), Body: Buffer.from(text), ...condition }),
          request
        ),
      longAnswerTimeoutMs
    )

  const writeManifest: BackupTarget["writeManifest"] = (text, revision) =>
    (revision === null
      ? put(text, { IfNoneMatch: "*" })
      : put(text, { IfMatch: `"${revision}"` }).pipe(
          // Ceph compares the ETag with its quotes (seen in 16.2), and so never finds it equal.
          Effect.catchIf(isMoved, () => put(text, { IfMatch: revision }))
        )
    ).pipe(
      // An attempt whose answer was lost may have written it, and then the repeated one finds another revision.
      Effect.catchIf(isMoved, () =>
        Effect.flatMap(readManifest, (found) =>
          found?.text === text ? Effect.succeed({ ETag: found.revision }) : Effect.fail(new TargetInUse())
        )
      ),
      Effect.map(({ ETag }) => withoutQuotes(ETag))
    )

  return {
    name: nameOf(options),
    pieces: Context.get(context, BlobStore),
    readManifest,
    writeManifest,
    isExclusive: false,
    scratch: yield* Scratch.make
  }
})
