/** Where segments are written: a folder, or a bucket. */
import * as url from "node:url"
import { type Layer, Result } from "effect"
import * as TargetAddress from "#src/features/backup/target/TargetAddress.ts"
import * as BlobStorage from "#src/platform/blobs/BlobStorage.ts"
import * as LocalSegments from "#streams/archive/LocalSegments.ts"
import type { BlobStore, BlobStoreError } from "#streams/BlobStore.ts"

export interface ArchivePlace {
  /** As the log has it, without credentials. */
  readonly location: string
  readonly blobs: Layer.Layer<BlobStore, BlobStoreError>
}

export const expected = TargetAddress.expected

/** @param directory the data directory. Fails with a message that repeats no value. */
export const parse = (text: string, directory: string): Result.Result<ArchivePlace, string> =>
  Result.flatMap(TargetAddress.parse(text), (address): Result.Result<ArchivePlace, string> => {
    const layerOf = (choice: BlobStorage.BlobStoreChoice) =>
      BlobStorage.layerOf(choice, { dataDirectory: directory, isBeside: true })
    if (address._tag === "S3") {
      const blobs = layerOf(address)
      return Result.map(TargetAddress.withPrefix(text), (location) => ({ location, blobs }))
    }
    const { folder } = address
    const isLocal = folder === LocalSegments.folderIn(directory)
    const location = isLocal ? LocalSegments.location : url.pathToFileURL(folder).href
    return Result.succeed({ location, blobs: layerOf({ _tag: "File", folder }) })
  })
