/**
 * Takes a snapshot and publishes it. The key of a blob is recorded before the upload, so that after a crash at any step the
 * published list is still true and the next snapshot removes the leftover blob.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { Clock, Effect, type Scope } from "effect"
import { BlobStore, type BlobStoreError } from "#streams/BlobStore.ts"
import type { HeadDigest } from "#streams/FollowedHead.ts"
import * as Generations from "../rebuild/Generations.ts"
import * as Backup from "./Backup.ts"
import * as Integrity from "./Integrity.ts"
import * as Packing from "./Packing.ts"
import * as Snapshot from "./Snapshot.ts"
import {
  SnapshotDamaged,
  type SnapshotFileError,
  type SnapshotPointerError,
  SnapshotPointerMoved
} from "./SnapshotError.ts"
import { SnapshotPointer } from "./SnapshotPointer.ts"

export interface TakeOptions {
  /** The file of the read models. It may be in use. */
  readonly filename: string
  /** The directory of the copy until it is uploaded. */
  readonly directory: string
  /** A new unique id. */
  readonly id: string
  /** The known end of the log, at or after what the read models have read. `null` when it is unknown. */
  readonly anchor?: Effect.Effect<HeadDigest | null>
}

export type TakeError =
  | SnapshotFileError
  | SnapshotDamaged
  | SnapshotPointerError
  | SnapshotPointerMoved
  | BlobStoreError

/**
 * Returns the new snapshot when all nodes can find it. The previous one stays, because a node may be downloading it. If two
 * nodes take a snapshot at the same time, at most one succeeds.
 */
export const run = Effect.fn("Take.run")(function* (
  options: TakeOptions
): Effect.fn.Return<Snapshot.Snapshot, TakeError, BlobStore | SnapshotPointer | Scope.Scope> {
  const createdAt = yield* Clock.currentTimeMillis
  const copy = yield* copyIn(options.directory, options.id)
  const checkpoints = yield* Backup.make(options.filename, copy)
  if (!(yield* Integrity.isWhole(copy))) {
    return yield* new SnapshotDamaged({ reason: "The file of the read models is damaged: rebuild them" })
  }
  const anchor = yield* options.anchor ?? Effect.succeed(null)
  const key = `snapshots/${options.id}.sqlite.zst`
  return yield* publish(copy, {
    key,
    createdAt,
    projections: [...checkpoints].map(([name, checkpoint]) => ({ name, ...checkpoint })),
    anchor
  })
}, Effect.scoped)

const copyIn = (directory: string, id: string) => {
  const filename = path.join(directory, `snapshot-${id}.sqlite`)
  return Effect.acquireRelease(Effect.succeed(filename), () =>
    Effect.sync(() => Generations.remove(filename))
  )
}

const publish = Effect.fnUntraced(function* (
  copy: string,
  taken: Omit<Snapshot.Snapshot, "sha256" | "size" | "fileSize">
) {
  const blobs = yield* BlobStore
  const pointer = yield* SnapshotPointer
  const { key } = taken
  const found = yield* pointer.get
  const before = found?.snapshots ?? Snapshot.none
  const announced = yield* pointer.put(
    { ...before, unneeded: [...before.unneeded, key] },
    found?.revision ?? null
  )
  // Only after the put: a node that is uploading one of them can no longer publish it and gets an error.
  yield* Effect.forEach(before.unneeded, blobs.remove, { discard: true })

  const { body, sha256 } = Packing.pack(copy)
  const size = yield* blobs.put(key, body)
  const snapshot: Snapshot.Snapshot = {
    ...taken,
    sha256: sha256(),
    size,
    fileSize: (yield* Effect.promise(() => fs.promises.stat(copy))).size
  }
  const unneeded = before.before === null ? [] : [before.before.key]
  yield* pointer
    .put({ format: 1, newest: snapshot, before: before.newest, unneeded }, announced)
    .pipe(Effect.catchTag("SnapshotPointerMoved", () => withdraw(key)))
  yield* Effect.forEach(unneeded, blobs.remove, { discard: true })
  return snapshot
})

/**
 * The record was changed meanwhile. Either another node did, which may have removed the blob before it existed; or this node
 * did, in a try whose answer was lost.
 */
const withdraw = Effect.fnUntraced(function* (key: string) {
  const found = yield* (yield* SnapshotPointer).get
  if (found?.snapshots.newest?.key === key) return
  if (found?.snapshots.before?.key !== key) yield* (yield* BlobStore).remove(key)
  return yield* new SnapshotPointerMoved()
})
