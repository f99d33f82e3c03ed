/**
 * Takes a snapshot and writes it down. Killed after any step, what was written down before is still true, and the next
 * one removes the blob that nobody knows of: its key is written down before it is uploaded.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { Clock, Effect, type Scope } from "effect"
import { BlobStore, type BlobStoreError } from "#streams/BlobStore.ts"
import type { Seen } from "#streams/SeenHead.ts"
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
  /** The file of the read models, which may be in use. */
  readonly filename: string
  /** Where the copy lies until it is uploaded. */
  readonly directory: string
  /** Of the new snapshot: one that nothing else ever had. */
  readonly id: string
  /** The end of the log as it is known now, which is not before what the read models have read; `null` when it is not. */
  readonly anchor?: Effect.Effect<Seen | null>
}

export type TakeError =
  | SnapshotFileError
  | SnapshotDamaged
  | SnapshotPointerError
  | SnapshotPointerMoved
  | BlobStoreError

/**
 * The new snapshot, once all nodes can find it. Of the older ones the newest is kept: a node may be downloading it. Fails
 * when another node takes one at the same time; one of them then succeeds, or the next time does.
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
  // Not before that: a node that is uploading one of them can no longer write it down, and is told so.
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
 * The other node may have looked for the blob before it was there. Or there is no other node, and the record was put by us,
 * by a try whose answer was lost.
 */
const withdraw = Effect.fnUntraced(function* (key: string) {
  const found = yield* (yield* SnapshotPointer).get
  if (found?.snapshots.newest?.key === key) return
  if (found?.snapshots.before?.key !== key) yield* (yield* BlobStore).remove(key)
  return yield* new SnapshotPointerMoved()
})
