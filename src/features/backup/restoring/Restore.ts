/**
 * Restores a backup into a data directory, or its log to NATS servers. Everything is built and verified in the folder `restore`
 * of the directory, then moved: `log.head` first and `log.sqlite` last. While the folder exists the server refuses to start,
 * and the next restore starts over, so a crash leaves no part of a log that looks whole.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { Context, Effect, Layer, type Redacted } from "effect"
import { BlobStore, type BlobStoreError } from "#streams/BlobStore.ts"
import * as DataLock from "#streams/DataLock.ts"
import { syncDirectory } from "#streams/DirectorySync.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as LogHead from "#streams/LogHead.ts"
import { LogUnavailable } from "#streams/LogUnavailable.ts"
import { Payloads } from "#streams/Payload.ts"
import type { NatsOptions } from "#streams/nats/NatsOptions.ts"
import * as Database from "#streams/sqlite/Database.ts"
import * as SqliteEventReader from "#streams/sqlite/SqliteEventReader.ts"
import * as LogFiles from "#streams/sqlite/LogFiles.ts"
import * as SqliteVerify from "#streams/sqlite/SqliteVerify.ts"
import type { Verified } from "#streams/Verify.ts"
import type { ClusterFactsError, FactConflict } from "#src/platform/cluster/ClusterFacts.ts"
import type { EventStoreChoice } from "#src/kernel/settings/EventStoreSetting.ts"
import { restoreFolder } from "#src/kernel/disk/DataDirectory.ts"
import * as ReleaseFile from "#src/kernel/disk/ReleaseFile.ts"
import * as DataFormat from "#src/kernel/program/DataFormat.ts"
import { NoSuchBackup } from "../BackupError.ts"
import * as Manifest from "../format/Manifest.ts"
import * as Pieces from "../format/Pieces.ts"
import * as SqliteFiles from "../format/SqliteFiles.ts"
import * as SealedKeys from "../keys/SealedKeys.ts"
import type { BackupTarget } from "../target/BackupTarget.ts"
import * as Commits from "./Commits.ts"
import * as RestoredBlobs from "./RestoredBlobs.ts"
import * as RestoredCheckpoints from "./RestoredCheckpoints.ts"
import * as RestoredLog from "./RestoredLog.ts"
import * as Until from "./Until.ts"

export interface RestoreOptions {
  readonly source: Pick<BackupTarget, "name" | "pieces" | "readManifest">
  /** Absolute. */
  readonly directory: string
  readonly until: Until.Until
  /** `null` to restore without the keys. */
  readonly passphrase: Redacted.Redacted<string> | null
  /** Where the log is written: `Sqlite` is the directory. */
  readonly log: EventStoreChoice
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

/** In this order: a log.head without its log is refused at start. */
const order = [
  "release",
  "log.head",
  "master.key",
  "oauth.sqlite",
  "blobs",
  "archive",
  "checkpoints",
  "log.sqlite"
]

/** With the log on NATS. */
const orderBesideServers = ["release", "master.key", "oauth.sqlite"]

const place = (folder: string, directory: string, names: ReadonlyArray<string>) =>
  attempt(() => {
    syncDirectory(folder)
    for (const name of names.filter((name) => fs.existsSync(path.join(folder, name)))) {
      fs.renameSync(path.join(folder, name), path.join(directory, name))
      syncDirectory(directory)
    }
  })

const remove = (folder: string, directory: string) =>
  attempt(() => {
    fs.rmSync(folder, { recursive: true, force: true })
    syncDirectory(directory)
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

/** What was restored, and what makes it final. */
interface Written {
  readonly verified: Verified
  readonly names: ReadonlyArray<string>
  readonly end: Effect.Effect<void, ClusterFactsError | FactConflict>
}

/** The client is loaded only when it is used. */
const writeToServers = Effect.fnUntraced(function* (
  nats: NatsOptions,
  filename: string,
  keepsPositions: boolean,
  blobs: BlobStore["Service"]
) {
  const NatsRestore = yield* Effect.promise(() => import("./NatsRestore.ts"))
  const db = yield* Effect.acquireRelease(
    attempt(() => Database.open({ filename, readOnly: true, synchronous: "FULL" })),
    (db) => Effect.sync(() => db.close())
  )
  const reader = yield* EventReader
  const log = keepsPositions ? Commits.reading(reader, db) : reader
  const written = yield* NatsRestore.write({ nats, log, keepsPositions, blobs })
  return { ...written, names: orderBesideServers } satisfies Written
})

export const run = Effect.fn("Restore.run")(function* (options: RestoreOptions) {
  const { blobsAt, directory, log, source, until } = options
  const stored = yield* source.readManifest
  if (stored === null) return yield* new NoSuchBackup({ reason: `${source.name} contains no backup` })
  const manifest = yield* Manifest.parse(stored.text)
  const { data = DataFormat.ours } = manifest
  yield* DataFormat.check("SOURCE", data)
  const generation = Until.generationOf(manifest, until)
  if (!Until.isReached(until, generation)) {
    const { position } = Manifest.endOf(generation)
    return yield* new NoSuchBackup({ reason: `--until: the backup ends at position ${position}` })
  }
  const folder = yield* prepare(directory)
  yield* ReleaseFile.note(folder, data)
  const { oauth } = manifest
  if (oauth !== null) yield* SqliteFiles.unpack(source.pieces, oauth, path.join(folder, "oauth.sqlite"))
  const hasKeys = yield* restoreKeys(options, manifest, folder)
  const { pieces } = source
  const files = LogFiles.files(folder)
  const keepsCommits = log._tag === "Nats" && RestoredLog.isOfServers(generation)
  const restored = yield* RestoredLog.write({
    pieces,
    manifest,
    generation,
    until,
    filename: files.log,
    keepsCommits
  })
  yield* writeHead(files.head, restored.head)
  const context: Context.Context<BlobStore> = yield* Layer.build(blobsAt(folder))
  const to = Context.get(context, BlobStore)
  const { counts, end, names, verified } = yield* Effect.gen(function* () {
    const counts = yield* RestoredBlobs.write({ pieces, generation, to })
    const verified = yield* SqliteVerify.verifyDirectory(folder).pipe(
      Effect.provide(Payloads.layer.pipe(Layer.provide(Layer.succeed(BlobStore, to))))
    )
    const written: Written =
      log._tag === "Nats"
        ? yield* writeToServers(log.options, files.log, keepsCommits, to)
        : { verified, names: order, end: Effect.void }
    return { counts, ...written }
  }).pipe(Effect.provide(SqliteEventReader.layer({ filename: files.log })))
  if (manifest.backend === "sqlite") {
    const { checkpoints = [] } = manifest
    const end = restored.end.position
    yield* RestoredCheckpoints.write({ pieces, checkpoints, end, directory: folder })
  }
  yield* place(folder, directory, names)
  yield* end
  yield* remove(folder, directory)
  const { erasedAgain } = restored
  return { ...counts, verified, until: restored.end, erasedAgain, hasKeys }
}, Effect.scoped)
