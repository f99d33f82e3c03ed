/**
 * The folder of a `FileBlobStore`, for callers that write a file themselves and publish it as a blob when it is complete.
 */
import * as crypto from "node:crypto"
import * as NodePath from "node:path"
import { Context, Effect, FileSystem, Layer } from "effect"
import * as BlobFolder from "./BlobFolder.ts"
import * as BlobKey from "./BlobKey.ts"
import type { BlobStoreError } from "./BlobStore.ts"
import * as FileFailure from "./FileFailure.ts"

export class FileBlobs extends Context.Service<
  FileBlobs,
  {
    /**
     * A path for a new file on the same disk as the blobs. The caller must remove the file, published or not. Files of a
     * killed process are removed at the next start of the store.
     */
    readonly newPath: () => string
    /** The path of a blob, whether or not it exists. */
    pathOf(key: string): Effect.Effect<string, BlobStoreError>
    /**
     * Publishes a synced file as a blob. It must not be written to any more. Returns `false` when the key exists, and that
     * blob stays: of several concurrent publishers on any node, one succeeds. The blob is durable when this returns, in both
     * cases.
     */
    publish(path: string, key: string): Effect.Effect<boolean, BlobStoreError>
    /** The last segments of the keys directly below `folder`, sorted: `BlobStore.list` without a lookup for each. */
    names(folder: string): Effect.Effect<ReadonlyArray<string>, BlobStoreError>
  }
>()("inferlog/streams/FileBlobs") {
  /** @param root the root of the store. */
  static readonly layerNoDeps = (root: string) =>
    Layer.effect(
      FileBlobs,
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* Effect.mapError(BlobFolder.make(root), FileFailure.of("open the blob store"))

        const pathOf = (key: string) => Effect.map(BlobKey.check(key), (key) => NodePath.join(root, key))

        const publish = Effect.fn("FileBlobs.publish")((path: string, key: string) =>
          BlobKey.check(key).pipe(
            Effect.andThen(Effect.mapError(folder.publishNew(path, key), FileFailure.of("write a blob"))),
            Effect.uninterruptible
          )
        )

        const names = Effect.fn("FileBlobs.names")((folder: string) =>
          Effect.flatMap(pathOf(folder), (path) =>
            fs.readDirectory(path).pipe(
              Effect.map((names) => names.sort()),
              Effect.catchIf(BlobFolder.isMissing, () => Effect.succeed([])),
              Effect.mapError(FileFailure.of("list blobs"))
            )
          )
        )

        return FileBlobs.of({
          newPath: () => NodePath.join(folder.incoming, crypto.randomUUID()),
          pathOf,
          publish,
          names
        })
      })
    )
}
