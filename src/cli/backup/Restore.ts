import { Console, DateTime, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as Restore from "#src/features/backup/restoring/Restore.ts"
import type { Until } from "#src/features/backup/restoring/Until.ts"
import * as Targets from "#src/features/backup/target/Targets.ts"
import { configured } from "#src/kernel/disk/DataDirectory.ts"
import { eventStore } from "#src/kernel/settings/EventStoreSetting.ts"
import * as BlobStorage from "#src/platform/blobs/BlobStorage.ts"
import { GlobalPosition } from "#streams/GlobalPosition.ts"
import { UsageError } from "#src/cli/Failure.ts"
import * as Flags from "#src/cli/Flags.ts"
import * as Output from "#src/cli/Output.ts"
import * as BackupFlags from "./BackupFlags.ts"

/** A number is a position, a date a time. */
const parseUntil = (text: string): Option.Option<Until> => {
  const position = GlobalPosition.makeOption(text)
  if (Option.isSome(position)) return Option.some({ _tag: "Position", position: position.value })
  if (!/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(text)) return Option.none()
  return Option.map(DateTime.make(text), (time): Until => ({
    _tag: "Time",
    time: DateTime.toEpochMillis(time)
  }))
}

const until = Flag.String("until").pipe(
  Flag.withMetavar("POSITION|TIME"),
  Flag.withDescription(
    "The moment to restore: the last event's position, or a time such as 2026-11-27T06:00:00Z"
  ),
  Flag.filterMap(
    parseUntil,
    () => "Expected a position such as 1200, or a time such as 2026-11-27T06:00:00Z"
  ),
  Flag.optional
)

export const restore = Command.make(
  "restore",
  {
    source: BackupFlags.address("SOURCE", "The backup"),
    until,
    passphraseFile: BackupFlags.passphraseFile,
    withoutKeys: Flags.toggle("without-keys", "Restore without the master key of the backup"),
    json: Output.json
  },
  Effect.fnUntraced(function* ({ json, passphraseFile, source: given, until, withoutKeys }) {
    const log = yield* eventStore.config
    yield* BlobStorage.checkShared
    const address = yield* BackupFlags.locate("SOURCE", given)
    const passphrase = yield* BackupFlags.passphrase(passphraseFile)
    if (Option.isNone(passphrase) && !withoutKeys) {
      return yield* new UsageError({
        message: "Set --passphrase-file or BACKUP_PASSPHRASE, or restore without the keys: --without-keys"
      })
    }
    const source = yield* Targets.openSource(address)
    const choice = yield* BlobStorage.blobStore.config
    const directory = yield* configured
    const restored = yield* Restore.run({
      source,
      directory,
      log,
      until: Option.getOrElse(until, (): Until => ({ _tag: "End" })),
      passphrase: withoutKeys ? null : Option.getOrNull(passphrase),
      blobsAt: (dataDirectory) => BlobStorage.layerOf(choice, { dataDirectory, isBeside: false })
    })
    const { verified, until: end, ...counts } = restored
    const { position } = end
    if (json) {
      return yield* Output.printJson({
        directory,
        ...counts,
        ...verified,
        until: end
      })
    }
    yield* Console.log(
      `Restored ${log._tag === "Nats" ? "the log at the NATS servers" : directory} up to position ${position}: ${Output.counted(verified.events, "event")}, ` +
        `${Output.counted(verified.payloads, "payload")} and ${Output.counted(counts.blobs, "blob")}.`
    )
    if (counts.erasedAgain > 0) {
      yield* Console.log(
        `${Output.counted(counts.erasedAgain, "later erasure")} of payloads: repeated on this log.`
      )
    }
    if (!counts.hasKeys) yield* Console.log("Restored without the master key: put it back as master.key.")
    yield* Console.log(`Verified. Anchor: ${verified.position}:${verified.digest}`)
  }, Effect.scoped)
).pipe(
  Command.withDescription(
    "Restore a backup into DATA_DIR, which must be new or empty, and verify it. With EVENT_STORE=nats://… its log goes to the " +
      "servers, which must have none yet. The server builds its read models at the first start. See docs/operators/backup.md"
  ),
  Command.withShortDescription("Restore a backup"),
  Command.withExamples([
    { command: "inferlog restore /mnt/backup --data-dir /var/lib/inferlog" },
    { command: "inferlog restore /mnt/backup --until 2026-11-27T06:00:00Z" }
  ])
)
