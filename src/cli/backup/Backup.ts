import * as path from "node:path"
import { Console, Context, Effect, Layer, Option } from "effect"
import { Command } from "effect/cli"
import * as Backup from "#src/features/backup/taking/Backup.ts"
import * as Targets from "#src/features/backup/target/Targets.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import { MasterKeyText } from "#src/kernel/secrets/MasterKeyText.ts"
import * as ChosenLog from "#src/platform/log/ChosenLog.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import { IdGenerator } from "#streams/IdGenerator.ts"
import { UsageError } from "#src/cli/Failure.ts"
import * as Flags from "#src/cli/Flags.ts"
import * as ReadOnlyLog from "#src/cli/log/ReadOnlyLog.ts"
import * as Output from "#src/cli/Output.ts"
import * as BackupFlags from "./BackupFlags.ts"

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
  json: Output.json
}

const keysOf = Effect.fnUntraced(function* (file: Option.Option<string>, withoutKeys: boolean) {
  const given = yield* BackupFlags.passphrase(file)
  if (withoutKeys) return null
  if (Option.isNone(given)) {
    return yield* new UsageError({
      message:
        "The master key is backed up under a passphrase: set --passphrase-file or BACKUP_PASSPHRASE, or leave the key out " +
        "with --without-keys. Without the key, signing secrets of webhooks and passwords must be set anew after a restore"
    })
  }
  return { masterKey: yield* MasterKeyText(yield* DataDirectory), passphrase: given.value }
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

export const backup = Command.make(
  "backup",
  flags,
  Effect.fnUntraced(function* ({ full, json, keep, passphraseFile, target: given, withoutKeys }) {
    const address = yield* BackupFlags.locate("TARGET", given)
    const directory = yield* DataDirectory
    if (address._tag === "Folder" && isInside(address.folder, directory)) {
      return yield* new UsageError({ message: "TARGET: is inside of DATA_DIR, and would be lost with it" })
    }
    const keys = yield* keysOf(passphraseFile, withoutKeys)
    const target = yield* Targets.open(address)
    // Read before the log, so that a running server never makes the log look short.
    const anchors = yield* ChosenLog.headAnchors(directory)
    const isShared = yield* ChosenLog.isShared
    const blobs = Context.get(yield* Layer.build(ReadOnlyLog.blobsOf(directory)), BlobStore)
    const id = (yield* IdGenerator).next()
    const report = yield* Backup.take({
      target,
      blobs,
      directory: isShared ? null : directory,
      anchors,
      isFull: full,
      keep,
      keys,
      id
    })
    if (json) {
      const { end, ...counts } = report
      return yield* Output.printJson({ target: target.name, ...counts, ...end, verified: true })
    }
    yield* Console.log(text(report))
    yield* Console.log(`Read back and verified. Anchor: ${report.end.position}:${report.end.digest}`)
    if (report.missingBlobs > 0) {
      yield* Console.error(
        `${Output.counted(report.missingBlobs, "blob")} that the log names: not in the blob store. See 'log verify'.`
      )
    }
  }, Effect.scoped)
).pipe(
  Command.provide(ReadOnlyLog.layerEvents.pipe(Layer.merge(IdGenerator.layer))),
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
    }
  ])
)
