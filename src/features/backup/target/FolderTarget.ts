/** A backup in a folder. One process at a time writes to it: the operating system releases its lock however it ends. */
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { Context, Effect, Layer, type Scope, Stream } from "effect"
import { BlobStore, BlobStoreError } from "#streams/BlobStore.ts"
import * as DataLock from "#streams/DataLock.ts"
import * as FileBlobStore from "#streams/FileBlobStore.ts"
import type { LogUnavailable } from "#streams/LogUnavailable.ts"
import { NoSuchBackup, TargetInUse } from "../BackupError.ts"
import { type BackupTarget, manifestKey } from "./BackupTarget.ts"

const revisionOf = (text: string) => crypto.hash("sha256", text)

const makeFolder = (folder: string) =>
  Effect.try({
    try: () => {
      fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
    },
    catch: (cause) => new BlobStoreError({ reason: "the target's folder cannot be created", cause })
  })

/** Removes what a killed process left. */
const scratchIn = (folder: string) =>
  Effect.acquireRelease(
    Effect.try({
      try: () => {
        const scratch = path.join(folder, "~scratch")
        fs.rmSync(scratch, { recursive: true, force: true })
        fs.mkdirSync(scratch, { mode: 0o700 })
        return scratch
      },
      catch: (cause) => new BlobStoreError({ reason: "the target's folder cannot be written", cause })
    }),
    (scratch) => Effect.sync(() => fs.rmSync(scratch, { recursive: true, force: true }))
  )

const storeAt = (root: string, isShared: boolean) =>
  Effect.map(Layer.build(FileBlobStore.layer({ root, isShared })), (context) =>
    Context.get(context, BlobStore)
  )

const manifestIn = (pieces: BlobStore["Service"]): BackupTarget["readManifest"] =>
  Effect.gen(function* () {
    const blob = yield* pieces.get(manifestKey)
    if (blob === null) return null
    const text = Buffer.from(yield* Stream.mkUint8Array(blob.body)).toString()
    return { text, revision: revisionOf(text) }
  })

/** Creates a missing folder. */
export const open = Effect.fn("FolderTarget.open")(function* (
  folder: string
): Effect.fn.Return<BackupTarget, BlobStoreError | TargetInUse | LogUnavailable, Scope.Scope> {
  yield* makeFolder(folder)
  yield* DataLock.acquire(folder).pipe(
    Effect.catchTag("DataDirectoryLocked", () => Effect.fail(new TargetInUse()))
  )
  const scratch = yield* scratchIn(folder)
  const pieces = yield* storeAt(folder, false)
  return {
    name: folder,
    pieces,
    readManifest: manifestIn(pieces),
    writeManifest: (text) => Effect.as(pieces.put(manifestKey, Buffer.from(text)), revisionOf(text)),
    isExclusive: true,
    scratch
  }
})

/** For reading, also while a backup writes. */
export const openSource = Effect.fn("FolderTarget.openSource")(function* (
  folder: string
): Effect.fn.Return<
  Pick<BackupTarget, "name" | "pieces" | "readManifest">,
  BlobStoreError | NoSuchBackup,
  Scope.Scope
> {
  if (!fs.existsSync(path.join(folder, manifestKey))) {
    return yield* new NoSuchBackup({ reason: `${folder} contains no backup: ${manifestKey} is missing` })
  }
  const pieces = yield* storeAt(folder, true)
  return { name: folder, pieces, readManifest: manifestIn(pieces) }
})
