/** `log archive`: moves old, ended streams of a SQLite log to segments in a folder or bucket. */
import * as fs from "node:fs"
import { Clock, Console, Effect, Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import * as Archiving from "#src/features/archive/Archiving.ts"
import * as LocalSegments from "#streams/archive/LocalSegments.ts"
import { IdGenerator } from "#streams/IdGenerator.ts"
import * as Compacting from "#streams/sqlite/archive/Compacting.ts"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import * as LogFiles from "#streams/sqlite/LogFiles.ts"
import * as ExistingLog from "#src/cli/ExistingLog.ts"
import { CommandError } from "#src/cli/Failure.ts"
import * as Flags from "#src/cli/Flags.ts"
import * as OperatorAccess from "#src/cli/OperatorAccess.ts"
import * as Output from "#src/cli/Output.ts"
import * as ArchiveThroughServer from "./ArchiveThroughServer.ts"
import * as ArchiveTarget from "./ArchiveTarget.ts"

const day = 24 * 60 * 60 * 1_000

const age = Flag.String("older-than").pipe(
  Flag.withMetavar("DAYS"),
  Flag.withDescription("Archive streams whose last event is at least this old, in days, such as 90d"),
  Flag.filterMap(
    (text) => {
      const [, days] = /^(\d{1,5})d$/.exec(text) ?? []
      return days === undefined ? Option.none() : Option.some(Number(days))
    },
    () => "Expected a number of days, such as 90d"
  )
)

/** In this process, which has the data directory for itself. */
const here = Effect.fnUntraced(function* (
  days: number,
  { compact, target }: { readonly compact: boolean; readonly target: Option.Option<string> }
) {
  const directory = yield* DataDirectory
  const { blobs, location } = yield* ArchiveTarget.orSetting(target, directory)
  const before = (yield* Clock.currentTimeMillis) - days * day
  const { log } = LogFiles.files(directory)
  const { next: _, ...archived } = yield* Archiving.run({
    before,
    location: LocalSegments.resolve(log, location)
  }).pipe(Effect.provide(Layer.mergeAll(SqliteEventStore.layer(directory), blobs, IdGenerator.layer)))
  if (compact) yield* Compacting.run(directory)
  return archived
})

/** The server archives where its own setting says, and cannot rewrite a file that it uses. */
const checkForServer = Effect.fnUntraced(function* ({
  compact,
  target
}: {
  readonly compact: boolean
  readonly target: Option.Option<string>
}) {
  const reason = "a server runs on the data directory"
  if (Option.isSome(target))
    return yield* new CommandError({
      message: `TARGET: ${reason}, and archives to its own ARCHIVE: leave the target out, or stop the server`
    })
  if (compact) return yield* new CommandError({ message: `--compact: ${reason}: stop it first` })
})

const bytesOf = (file: string) => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0

export const archive = Command.make(
  "archive",
  {
    target: Argument.String("target").pipe(
      Argument.withDescription(`${ArchiveTarget.description}. By default ARCHIVE`),
      Argument.optional
    ),
    days: age,
    compact: Flags.toggle(
      "compact",
      "Then rewrite log.sqlite, so that a log of an older release shrinks too"
    ),
    json: Output.json
  },
  Effect.fnUntraced(function* ({ compact, days, json, target }) {
    yield* ArchiveTarget.checkLog
    const { log } = LogFiles.files(yield* DataDirectory)
    const sizeBefore = bytesOf(log)
    const server = yield* Effect.scoped(OperatorAccess.runningServer)
    if (Option.isSome(server)) yield* checkForServer({ compact, target })
    const archived = Option.isSome(server)
      ? yield* ArchiveThroughServer.run(days).pipe(Effect.provide(server.value))
      : yield* here(days, { compact, target })
    const size = { before: sizeBefore, after: bytesOf(log) }
    if (json) return yield* Output.printJson({ ...archived, log: size })
    const { bytes, events, segments } = archived
    yield* Console.log(
      `Archived ${Output.count(events)} events in ${Output.count(segments)} segments of ${Output.count(bytes)} bytes. ` +
        `log.sqlite had ${Output.count(size.before)} bytes and has ${Output.count(size.after)}.`
    )
  })
).pipe(
  Command.provide(ExistingLog.layer),
  Command.withDescription(
    "Move the events of ended requests, finished webhook deliveries and expired idempotency keys to compressed segments in a " +
      "folder or bucket. Their digests stay on the log, reads find them there, and 'log verify' and 'audit' prove them too. Keep " +
      "them: they are part of the log. While a server runs, it archives slowly to its ARCHIVE, and takes no target"
  ),
  Command.withShortDescription("Move old events out of the database"),
  Command.withExamples([{ command: "inferlog log archive --older-than 90d /var/archive" }])
)
