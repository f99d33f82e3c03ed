/**
 * Blobs as files in a directory (architecture, "Storage"). A blob is written to a separate file, synced and renamed, so that
 * a crash leaves the old or the new blob complete. A range is clipped to the blob; `size` stays that of the whole blob.
 */
import * as crypto from "node:crypto"
import * as NodePath from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Effect, FileSystem, Layer, Option, Stream } from "effect"
import * as BlobFolder from "./BlobFolder.ts"
import * as BlobKey from "./BlobKey.ts"
import * as BlobRange from "./BlobRange.ts"
import { BlobStore, BlobStoreError } from "./BlobStore.ts"
import { FileBlobs } from "./FileBlobs.ts"
import * as FileFailure from "./FileFailure.ts"

export interface FileBlobStoreOptions {
  /** Created when missing. */
  readonly root: string
  /** Whether other processes use the same directory. Their unfinished writes are then not removed at start. */
  readonly isShared: boolean
}

/** Bytes per read. */
const chunkSize = 256 * 1024

/** The number of concurrent size lookups. */
const listConcurrency = 16

const store = (options: FileBlobStoreOptions) =>
  Layer.effect(
    BlobStore,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* BlobFolder.make(options.root)
      yield* folder.sweep(options.isShared)

      const pathOf = (key: string) =>
        Effect.map(BlobKey.check(key), (key) => NodePath.join(options.root, key))

      // A write is not interrupted: it might continue after its descriptor was closed and reused for another file.
      const write = Effect.fnUntraced(function* (
        path: string,
        body: Parameters<BlobStore["Service"]["put"]>[1]
      ) {
        const file = yield* folder.create(path)
        const size = yield* Stream.runFoldEffect(
          body instanceof Uint8Array ? Stream.make(body) : body,
          () => 0,
          (size, chunk) => Effect.as(Effect.uninterruptible(file.writeAll(chunk)), size + chunk.length)
        )
        yield* Effect.uninterruptible(file.sync)
        return size
      }, Effect.scoped)

      const put: BlobStore["Service"]["put"] = Effect.fn("FileBlobStore.put")(
        function* (key, body) {
          yield* BlobKey.check(key)
          const path = NodePath.join(folder.incoming, crypto.randomUUID())
          return yield* write(path, body).pipe(
            Effect.tap(Effect.uninterruptible(folder.publish(path, key))),
            Effect.onError(() => Effect.ignore(fs.remove(path, { force: true })))
          )
        },
        Effect.catchTag("PlatformError", (error) => Effect.fail(FileFailure.of("write a blob")(error)))
      )

      /** `null` also for a directory, which is not a blob. */
      const sizeAt = (path: string) =>
        fs.stat(path).pipe(
          Effect.map((info) => (info.type === "File" ? Number(info.size) : null)),
          Effect.catchIf(BlobFolder.isMissing, () => Effect.succeed(null)),
          Effect.mapError(FileFailure.of("look up a blob"))
        )

      /** Fails instead of ending early, because the size may already be in a response header. */
      const read = Effect.fnUntraced(
        function* (path: string, size: number, range: BlobRange.BlobRange) {
          const file = yield* fs.open(path, { flag: "r" })
          const changed = new BlobStoreError({ reason: "the blob was replaced before it was read" })
          if (Number((yield* file.stat).size) !== size) return yield* changed
          const end = range.start + range.length
          return Stream.unfold(
            range.start,
            Effect.fnUntraced(function* (position: number) {
              if (position >= end) return undefined
              const chunk = yield* Effect.uninterruptible(
                file.readAlloc(Math.min(chunkSize, end - position), { position: BigInt(position) })
              )
              if (Option.isNone(chunk)) return yield* changed
              return [chunk.value, position + chunk.value.length] as const
            })
          )
        },
        Stream.unwrap,
        Stream.catchTag("PlatformError", (error) => Stream.fail(FileFailure.of("read a blob")(error)))
      )

      const get: BlobStore["Service"]["get"] = Effect.fn("FileBlobStore.get")(function* (key, range) {
        const path = yield* pathOf(key)
        const size = yield* sizeAt(path)
        return size === null ? null : { size, body: read(path, size, yield* BlobRange.within(size, range)) }
      })

      const size = Effect.fn("FileBlobStore.size")((key: string) => Effect.flatMap(pathOf(key), sizeAt))

      const remove = Effect.fn("FileBlobStore.remove")(function* (key: string) {
        if ((yield* size(key)) === null) return
        yield* folder.retract(key).pipe(
          Effect.catchIf(BlobFolder.isMissing, () => Effect.void),
          Effect.mapError(FileFailure.of("remove a blob")),
          Effect.uninterruptible
        )
      })

      const namesIn = (folder: string) =>
        Effect.flatMap(pathOf(folder), (path) =>
          fs.readDirectory(path).pipe(
            Effect.catchIf(BlobFolder.isMissing, () => Effect.succeed([])),
            Effect.mapError(FileFailure.of("list blobs"))
          )
        )

      /** Skips blobs that are removed meanwhile. */
      const list: BlobStore["Service"]["list"] = (folder) =>
        Stream.fromIterableEffect(Effect.map(namesIn(folder), (names) => names.sort())).pipe(
          Stream.map((name) => `${folder}/${name}`),
          Stream.filter(BlobKey.isBlobKey),
          Stream.mapEffect((key) => Effect.map(size(key), (size) => (size === null ? [] : [{ key, size }])), {
            concurrency: listConcurrency
          }),
          Stream.flatMap((found) => Stream.fromIterable(found))
        )

      return BlobStore.of({ put, get, size, remove, list })
    }).pipe(
      Effect.catchTag("PlatformError", (error) => Effect.fail(FileFailure.of("open the blob store")(error)))
    )
  )

/** Includes `FileBlobs`, for callers that write files without a stream. */
const layerNoDeps = (options: FileBlobStoreOptions) =>
  Layer.merge(store(options), FileBlobs.layerNoDeps(options.root))

export const layer = (options: FileBlobStoreOptions) =>
  layerNoDeps(options).pipe(Layer.provide(NodeFileSystem.layer))
