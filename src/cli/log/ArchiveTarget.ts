/** The place that a command about the archive names: a folder, or a bucket. */
import * as url from "node:url"
import { Effect, type Layer, Result } from "effect"
import * as TargetAddress from "#src/features/backup/target/TargetAddress.ts"
import * as BlobStorage from "#src/platform/blobs/BlobStorage.ts"
import * as ChosenLog from "#src/platform/log/ChosenLog.ts"
import * as LocalSegments from "#streams/archive/LocalSegments.ts"
import type { BlobStore, BlobStoreError } from "#streams/BlobStore.ts"
import { CommandError, UsageError } from "#src/cli/Failure.ts"

interface ArchiveTarget {
  /** As the log has it, without credentials. */
  readonly location: string
  readonly blobs: Layer.Layer<BlobStore, BlobStoreError>
}

export const description = "The folder of the segments, or s3://<bucket>/<prefix>?endpoint=…&region=…"

/** Refuses a log on NATS. */
export const checkLog = Effect.gen(function* () {
  if (yield* ChosenLog.isShared) {
    return yield* new CommandError({
      message: "EVENT_STORE: only a log in the data directory can be archived, not one on NATS"
    })
  }
})

/** @param directory the data directory. */
export const of = Effect.fnUntraced(function* (target: string, directory: string) {
  const refusal = (reason: string) => new UsageError({ message: `TARGET: ${reason}` })
  const address = yield* Effect.fromResult(Result.mapError(TargetAddress.parse(target), refusal))
  const place =
    address._tag === "Folder"
      ? ({ _tag: "File", folder: address.folder } as const)
      : ({ _tag: "S3", options: address.options } as const)
  const blobs = BlobStorage.layerOf(place, { dataDirectory: directory, isBeside: true })
  if (address._tag === "Folder") {
    const isLocal = address.folder === LocalSegments.folderIn(directory)
    const location = isLocal ? LocalSegments.location : url.pathToFileURL(address.folder).href
    return { location, blobs } satisfies ArchiveTarget
  }
  const location = yield* Effect.fromResult(Result.mapError(TargetAddress.withPrefix(target), refusal))
  return { location, blobs } satisfies ArchiveTarget
})
