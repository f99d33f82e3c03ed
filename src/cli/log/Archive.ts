/** `log archive`: moves old, ended streams of a SQLite log to segments in a folder or bucket. */
import * as fs from "node:fs"
import { Clock, Console, Effect, Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Administration } from "#src/edges/admin/Administration.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import * as Archiving from "#src/features/archive/Archiving.ts"
import * as LocalSegments from "#streams/archive/LocalSegments.ts"
import { IdGenerator } from "#streams/IdGenerator.ts"
import * as Compacting from "#streams/sqlite/archive/Compacting.ts"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import * as LogFiles from "#streams/sqlite/LogFiles.ts"
import * as ExistingLog from "#src/cli/ExistingLog.ts"
import { CommandError, UsageError } from "#src/cli/Failure.ts"
import * as Flags from "#src/cli/Flags.ts"
import * as OperatorAccess from "#src/cli/OperatorAccess.ts"
import * as Output from "#src/cli/Output.ts"
import * as Remote from "#src/cli/remote/Remote.ts"
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

interface Given {
  readonly days: number
  readonly compact: boolean
  readonly target: Option.Option<string>
}

/** With the size of `log.sqlite` before and after it. */
const measured = Effect.fnUntraced(function* <A, E, R, E2, R2>(
  archiving: Effect.Effect<A, E, R>,
  size: Effect.Effect<number, E2, R2>
) {
  const before = yield* size
  const archived = yield* archiving
  return { ...archived, log: { before, after: yield* size } }
})

/** In this process, which has the data directory for itself. */
const alone = Effect.fnUntraced(function* ({ compact, days, target }: Given) {
  const directory = yield* DataDirectory
  const { blobs, location } = yield* ArchiveTarget.orSetting(target, directory)
  const { next: _, ...archived } = yield* Archiving.run({
    before: (yield* Clock.currentTimeMillis) - days * day,
    location: LocalSegments.resolve(LogFiles.files(directory).log, location)
  }).pipe(Effect.provide(Layer.mergeAll(SqliteEventStore.layer(directory), blobs, IdGenerator.layer)))
  if (compact) yield* Compacting.run(directory)
  return archived
})

/** The server archives where its own setting says, and cannot rewrite a file that it uses. */
const checkForServer = Effect.fnUntraced(function* ({ compact, target }: Given) {
  const reason = "a server runs on the data directory"
  if (Option.isSome(target))
    return yield* new CommandError({
      message: `TARGET: ${reason}, and archives to its own ARCHIVE: leave the target out, or stop the server`
    })
  if (compact) return yield* new CommandError({ message: `--compact: ${reason}: stop it first` })
})

const here = Effect.fnUntraced(function* (given: Given) {
  yield* ArchiveTarget.checkLog
  const { log } = LogFiles.files(yield* DataDirectory)
  const size = Effect.sync(() => fs.statSync(log, { throwIfNoEntry: false })?.size ?? 0)
  const server = yield* Effect.scoped(OperatorAccess.runningServer)
  if (Option.isNone(server)) return yield* measured(alone(given), size)
  yield* checkForServer(given)
  return yield* measured(ArchiveThroughServer.run(given.days), size).pipe(Effect.provide(server.value))
}, Effect.provide(ExistingLog.layer))

const elsewhere = Effect.fnUntraced(function* ({ compact, days, target }: Given) {
  if (compact) yield* Remote.refuse("--compact")
  if (Option.isSome(target)) {
    return yield* new UsageError({
      message: "TARGET: does not go with --url, because a server elsewhere archives to its own ARCHIVE"
    })
  }
  const { measureLog } = yield* Administration
  const size = Effect.map(measureLog(), ({ bytes }) => bytes?.log ?? 0)
  return yield* measured(ArchiveThroughServer.run(days), size)
}, Effect.provide(OperatorAccess.layerExisting))

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
  Effect.fnUntraced(function* ({ json, ...given }) {
    const archived = Option.isSome(yield* Remote.target) ? yield* elsewhere(given) : yield* here(given)
    if (json) return yield* Output.printJson(archived)
    const { bytes, events, log, segments } = archived
    yield* Console.log(
      `Archived ${Output.count(events)} events in ${Output.count(segments)} segments of ${Output.count(bytes)} bytes. ` +
        `log.sqlite had ${Output.count(log.before)} bytes and has ${Output.count(log.after)}.`
    )
  })
).pipe(
  Remote.administers,
  Command.withDescription(
    "Move the events of ended requests, finished webhook deliveries and expired idempotency keys to compressed segments in a " +
      "folder or bucket. Their digests stay on the log, reads find them there, and 'log verify' and 'audit' prove them too. Keep " +
      "them: they are part of the log. A running server, here or elsewhere, archives slowly to its ARCHIVE, and takes no target"
  ),
  Command.withShortDescription("Move old events out of the database"),
  Command.withExamples([{ command: "inferlog log archive --older-than 90d /var/archive" }])
)
