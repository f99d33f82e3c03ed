import * as path from "node:path"
import { Console, Context, Effect, Layer, Option } from "effect"
import { Command } from "effect/cli"
import * as BackupNote from "#src/features/backup/BackupNote.ts"
import * as Backup from "#src/features/backup/taking/Backup.ts"
import type { TargetAddress } from "#src/features/backup/target/TargetAddress.ts"
import * as TargetFault from "#src/features/backup/target/TargetFault.ts"
import * as Targets from "#src/features/backup/target/Targets.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import { MasterKeyBytes } from "#src/kernel/secrets/MasterKeyBytes.ts"
import * as ChosenLog from "#src/platform/log/ChosenLog.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import { IdGenerator } from "#streams/IdGenerator.ts"
import * as Failure from "#src/cli/Failure.ts"
import * as Flags from "#src/cli/Flags.ts"
import * as ReadOnlyLog from "#src/cli/log/ReadOnlyLog.ts"
import * as Output from "#src/cli/Output.ts"
import * as BackupFlags from "./BackupFlags.ts"
import * as Following from "./Following.ts"
import * as VerifyBackup from "./VerifyBackup.ts"

const flags = {
  target: BackupFlags.address("TARGET", "Where to keep the backup"),
  full: Flags.toggle("full", "Start a new base instead of adding what is new"),
  keep: Flags.count("keep", "With --full: how many bases stay at the target", {
    byDefault: 2,
    from: 1,
    to: 100
  }),
  passphraseFile: BackupFlags.passphraseFile,
  withoutKeys: Flags.toggle(
    "without-keys",
    "Leave the master key out: signing secrets, passwords and sealed tokens are lost unless you keep it elsewhere"
  ),
  follow: Flags.toggle(
    "follow",
    "Then add what is new every second, until Ctrl-C or SIGTERM, which exit with 0"
  ),
  verify: Flags.toggle(
    "verify",
    "Take no backup, but prove the one that is there: read every piece, and verify the log that they make"
  ),
  json: Output.json
}

const keysOf = Effect.fnUntraced(function* (file: Option.Option<string>, withoutKeys: boolean) {
  const given = yield* BackupFlags.passphrase(file)
  if (withoutKeys) return null
  if (Option.isNone(given)) {
    return yield* new Failure.UsageError({
      message:
        "The master key is backed up under a passphrase: set --passphrase-file or BACKUP_PASSPHRASE, or leave the key out " +
        "with --without-keys. Without the key, signing secrets of webhooks and passwords must be set anew after a restore"
    })
  }
  return { masterKey: yield* MasterKeyBytes(yield* DataDirectory), passphrase: given.value }
})

const isInside = (folder: string, directory: string) => `${path.resolve(folder)}/`.startsWith(`${directory}/`)

const text = (report: Backup.Report): string => {
  const { blobs, bytes, end, events, kind } = report
  if (kind === "unchanged") return "Nothing is new since the last backup."
  const what = kind === "base" ? "A new base" : "What is new"
  return (
    `${what} is backed up: ${Output.counted(events, "event")} and ${Output.counted(blobs, "blob")}, ` +
    `${Output.count(bytes)} bytes, up to ${end.time === null ? "an empty log" : Output.time(end.time)}.`
  )
}

const printJson = (target: string, { end, ...counts }: Backup.Report) =>
  Output.printJson({ target, ...end, ...counts, verified: true })

const printText = Effect.fnUntraced(function* (report: Backup.Report) {
  yield* Console.log(text(report))
  yield* Console.log(`Read back and verified. Anchor: ${report.end.position}:${report.end.digest}`)
  if (report.removedBlobs > 0) {
    yield* Console.log(`${Output.counted(report.removedBlobs, "blob")} removed that no base needs any more.`)
  }
  if (report.missingBlobs === 0) return
  yield* Console.error(
    `${Output.counted(report.missingBlobs, "blob")} that the log names: not in the blob store. See 'log verify'.`
  )
})

interface TakeFlags {
  readonly address: TargetAddress
  readonly passphraseFile: Option.Option<string>
  readonly full: boolean
  readonly keep: number
  readonly withoutKeys: boolean
  readonly follow: boolean
  readonly json: boolean
}

const takeBackups = Effect.fnUntraced(
  function* ({ address, follow, full, json, keep, passphraseFile, withoutKeys }: TakeFlags) {
    const directory = yield* DataDirectory
    if (address._tag === "Folder" && isInside(address.folder, directory)) {
      return yield* new Failure.UsageError({
        message: "TARGET: is inside of DATA_DIR, and would be lost with it"
      })
    }
    const keys = yield* keysOf(passphraseFile, withoutKeys)
    const target = yield* Targets.open(address)
    const isShared = yield* ChosenLog.isShared
    const blobs = Context.get(yield* Layer.build(ReadOnlyLog.blobsOf(directory)), BlobStore)
    const ids = yield* IdGenerator
    const take = Effect.fnUntraced(function* (
      options: Pick<Backup.BackupOptions, "isFull" | "keys" | "isContinued">
    ) {
      // Read before the log, so that a running server never makes the log look short.
      const anchors = yield* ChosenLog.headAnchors(directory)
      const id = ids.next()
      const report = yield* Backup.take({
        target,
        blobs,
        directory: isShared ? null : directory,
        dataDirectory: directory,
        anchors,
        keep,
        id,
        ...options
      })
      yield* BackupNote.write(directory, report.end.position)
      return report
    })
    const print = (report: Backup.Report) => (json ? printJson(target.name, report) : printText(report))
    yield* print(yield* take({ isFull: full, keys, isContinued: false }))
    if (!follow) return
    const addNew = Effect.flatMap(take({ isFull: false, keys: null, isContinued: true }), (report) =>
      report.kind === "unchanged" ? Effect.void : print(report)
    )
    yield* Following.run(addNew)
  },
  Effect.scoped,
  Effect.provide(ReadOnlyLog.layerEvents.pipe(Layer.merge(IdGenerator.layer)))
)

export const backup = Command.make(
  "backup",
  flags,
  Effect.fnUntraced(function* ({ target, verify, ...options }) {
    const address = yield* BackupFlags.locate("TARGET", target)
    if (!verify) return yield* takeBackups({ address, ...options })
    const { follow, full, json, passphraseFile } = options
    if (follow || full) {
      return yield* new Failure.UsageError({
        message: "--verify: takes no backup, and excludes --follow and --full"
      })
    }
    yield* VerifyBackup.run({ address, json, passphrase: yield* BackupFlags.passphrase(passphraseFile) })
  }, Effect.mapError(TargetFault.unwrap))
).pipe(
  Command.withDescription(
    "Back up the log, its payloads, files and the master key, also while a server runs. The first call copies everything, " +
      "later ones add what is new. Everything that is written is read back and verified. See docs/operators/backup.md"
  ),
  Command.withShortDescription("Back up the log, files and keys"),
  Command.withExamples([
    { command: "inferlog backup /mnt/backup --passphrase-file /etc/inferlog/backup.pass" },
    { command: "inferlog backup 's3://backups/inferlog?region=eu-central-1'" },
    {
      command: "inferlog backup /mnt/backup --full",
      description: "Start a new base, for instance every week"
    },
    { command: "inferlog backup /mnt/backup --verify", description: "Prove what is there" }
  ])
)
