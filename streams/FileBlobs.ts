/** The folder of a `FileBlobStore`, for whoever writes a file by himself and makes a blob of it when it is good. */
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
     * A path for a new file, on the same disk as the blobs. Whoever makes one removes it, published or not; what a killed
     * process leaves there goes with the next start of the store.
     */
    readonly newPath: () => string
    /** Where a blob lies, whether there is one or not. */
    pathOf(key: string): Effect.Effect<string, BlobStoreError>
    /**
     * Makes a blob of a synced file, which is not written to any more. `false` when there is one with that key, which
     * stays: of many that publish at once, on any node, one does. What is there is durable when it returns, either way.
     */
    publish(path: string, key: string): Effect.Effect<boolean, BlobStoreError>
    /** Last segments of the keys right below `folder`, in their order: `BlobStore.list` without a look at each one. */
    names(folder: string): Effect.Effect<ReadonlyArray<string>, BlobStoreError>
  }
>()("inferlog/streams/FileBlobs") {
  /** @param root of the store. */
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
