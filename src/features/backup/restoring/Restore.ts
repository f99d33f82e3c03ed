/**
 * Restores a backup into a data directory. Everything is built and verified in the folder `restore` of the directory, then
 * moved: `log.head` first and `log.sqlite` last. While the folder exists the server refuses to start, and the next restore
 * starts over, so a crash leaves no part of a log that looks whole.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { Context, Effect, Layer, type Redacted } from "effect"
import { BlobStore, type BlobStoreError } from "#streams/BlobStore.ts"
import * as DataLock from "#streams/DataLock.ts"
import * as LogHead from "#streams/LogHead.ts"
import { LogUnavailable } from "#streams/LogUnavailable.ts"
import { Payloads } from "#streams/Payload.ts"
import * as SqliteEventReader from "#streams/sqlite/SqliteEventReader.ts"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import * as SqliteVerify from "#streams/sqlite/SqliteVerify.ts"
import { restoreFolder } from "#src/kernel/disk/DataDirectory.ts"
import { NoSuchBackup } from "../BackupError.ts"
import * as Manifest from "../format/Manifest.ts"
import * as Pieces from "../format/Pieces.ts"
import * as SealedKeys from "../keys/SealedKeys.ts"
import type { BackupTarget } from "../target/BackupTarget.ts"
import * as RestoredBlobs from "./RestoredBlobs.ts"
import * as RestoredLog from "./RestoredLog.ts"
import * as Until from "./Until.ts"

export interface RestoreOptions {
  readonly source: Pick<BackupTarget, "name" | "pieces" | "readManifest">
  /** Absolute. */
  readonly directory: string
  readonly until: Until.Until
  /** `null` to restore without the keys. */
  readonly passphrase: Redacted.Redacted<string> | null
  /** The blob store for a data directory. */
  readonly blobsAt: (directory: string) => Layer.Layer<BlobStore, BlobStoreError>
}

const attempt = <A>(run: () => A): Effect.Effect<A, LogUnavailable> =>
  Effect.try({
    try: run,
    catch: (cause) => new LogUnavailable({ reason: "The data directory cannot be written", cause })
  })

/** What an unused directory may contain. */
const harmless = new Set(["lost+found", "lock", "lock-journal"])

/** Refuses a directory with anything in it, except for what an interrupted restore left. */
const prepare = Effect.fnUntraced(function* (directory: string) {
  yield* attempt(() => fs.mkdirSync(directory, { recursive: true, mode: 0o700 }))
  yield* DataLock.acquire(directory)
  const folder = restoreFolder(directory)
  const left = fs.readdirSync(directory).filter((name) => !harmless.has(name))
  if (left.length > 0 && !fs.existsSync(folder)) {
    return yield* new NoSuchBackup({
      reason: `DATA_DIR: ${directory} is not empty: a restore needs a new or empty directory. Nothing was written`
    })
  }
  // The folder is removed last, so that a crash here is like one before.
  yield* attempt(() => {
    for (const name of left.filter((name) => path.join(directory, name) !== folder)) {
      fs.rmSync(path.join(directory, name), { recursive: true, force: true })
    }
    fs.rmSync(folder, { recursive: true, force: true })
    fs.mkdirSync(folder, { mode: 0o700 })
  })
  return folder
})

const syncFolder = (folder: string) => {
  const fd = fs.openSync(folder, "r")
  fs.fsyncSync(fd)
  fs.closeSync(fd)
}

/** In this order: a log.head without its log is refused at start. */
const order = ["log.head", "master.key", "blobs", "log.sqlite"]

const place = (folder: string, directory: string) =>
  attempt(() => {
    syncFolder(folder)
    for (const name of order.filter((name) => fs.existsSync(path.join(folder, name)))) {
      fs.renameSync(path.join(folder, name), path.join(directory, name))
      syncFolder(directory)
    }
    fs.rmSync(folder, { recursive: true, force: true })
    syncFolder(directory)
  })

const restoreKeys = Effect.fnUntraced(function* (
  { passphrase, source }: RestoreOptions,
  { keys }: Manifest.Manifest,
  folder: string
) {
  if (keys === null || passphrase === null) return false
  const text = (yield* Pieces.read(source.pieces, keys)).toString()
  const key = yield* SealedKeys.open(text, passphrase)
  yield* attempt(() =>
    fs.writeFileSync(path.join(folder, "master.key"), `${key.toString("hex")}\n`, {
      mode: 0o600,
      flush: true
    })
  )
  return true
})

const writeHead = (filename: string, head: LogHead.Head) =>
  attempt(() => {
    const file = LogHead.open(filename)
    file.write(head)
    file.close()
  })

export const run = Effect.fn("Restore.run")(function* (options: RestoreOptions) {
  const { blobsAt, directory, source, until } = options
  const stored = yield* source.readManifest
  if (stored === null) return yield* new NoSuchBackup({ reason: `${source.name} contains no backup` })
  const manifest = yield* Manifest.parse(stored.text)
  const generation = Until.generationOf(manifest, until)
  if (!Until.isReached(until, generation)) {
    const { position } = Manifest.endOf(generation)
    return yield* new NoSuchBackup({ reason: `--until: the backup ends at position ${position}` })
  }
  const folder = yield* prepare(directory)
  const hasKeys = yield* restoreKeys(options, manifest, folder)
  const files = SqliteEventStore.files(folder)
  const { backend } = manifest
  const log = { pieces: source.pieces, backend, generation, until, filename: files.log }
  const { end, erasedAgain, head } = yield* RestoredLog.write(log)
  yield* writeHead(files.head, head)
  const done = yield* Effect.gen(function* () {
    const context: Context.Context<BlobStore> = yield* Layer.build(blobsAt(folder))
    const to = Context.get(context, BlobStore)
    const blobs = yield* RestoredBlobs.write({ pieces: source.pieces, generation, to })
    const verified = yield* SqliteVerify.verifyDirectory(folder).pipe(
      Effect.provide(Payloads.layer.pipe(Layer.provide(Layer.succeed(BlobStore, to))))
    )
    return { ...blobs, verified }
  }).pipe(Effect.provide(SqliteEventReader.layer({ filename: files.log })), Effect.scoped)
  yield* place(folder, directory)
  return { ...done, until: end, erasedAgain, hasKeys }
}, Effect.scoped)
