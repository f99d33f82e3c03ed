import * as path from "node:path"
import { Console, Effect, Result } from "effect"
import { Command, Flag } from "effect/cli"
import type * as ChosenLog from "#src/platform/log/ChosenLog.ts"
import { configured } from "#src/kernel/disk/DataDirectory.ts"
import * as LogCopy from "#streams/copy/LogCopy.ts"
import * as NatsOptions from "#streams/nats/NatsOptions.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as Failure from "#src/cli/Failure.ts"
import * as Output from "#src/cli/Output.ts"
import * as ProgressLine from "#src/cli/ProgressLine.ts"
import * as LogProgress from "../LogProgress.ts"
import * as ReadOnlyLog from "../ReadOnlyLog.ts"
import * as CopyEnds from "./CopyEnds.ts"

type Location = ChosenLog.LogLocation

const location = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar("LOG"), Flag.withDescription(description))

const flags = {
  from: location("from", "The log to copy: sqlite (in DATA_DIR), sqlite:<directory> or nats://…"),
  to: location(
    "to",
    "The target, in the same forms. An existing log there must be a copy of the source, or the beginning of one"
  ),
  json: Output.json
}

const expected = `Expected sqlite (the log in DATA_DIR), sqlite:<directory> or ${NatsOptions.expected}`

const wrong = (message: string) => new Failure.UsageError({ message })

/** Does not show an invalid value, because it may contain a password. */
const locate = Effect.fnUntraced(function* (flag: string, text: string) {
  const sqlite = /^sqlite(?::(.+))?$/s.exec(text)
  if (sqlite !== null) {
    const directory = sqlite[1] === undefined ? yield* configured : path.resolve(sqlite[1])
    return { _tag: "Sqlite", directory } satisfies Location
  }
  const options = NatsOptions.parse(text)
  if (Result.isFailure(options)) return yield* wrong(`${flag}: ${expected}`)
  return { _tag: "Nats", options: options.success } satisfies Location
})

/** The location without credentials, for messages. */
const nameOf = (location: Location): string =>
  location._tag === "Sqlite"
    ? `sqlite:${location.directory}`
    : `nats://${location.options.servers.join(",")}?prefix=${location.options.prefix}`

const isSame = (a: Location, b: Location): boolean => {
  if (a._tag === "Sqlite" || b._tag === "Sqlite") return nameOf(a) === nameOf(b)
  const servers = new Set(a.options.servers)
  return a.options.prefix === b.options.prefix && b.options.servers.some((server) => servers.has(server))
}

const copyEvents = Effect.fnUntraced(function* (
  { anchors, countsCommits, reading }: Effect.Success<ReturnType<typeof CopyEnds.openSource>>,
  target: LogCopy.CopyOptions["target"]
) {
  const end = yield* reading.head
  const progress = yield* LogProgress.of(countsCommits, { after: GlobalPosition.beginning, end })
  return yield* LogCopy.copy({ source: reading, target, anchors, onProgress: progress.report }).pipe(
    Effect.ensuring(progress.clear)
  )
})

/** Large payloads are in `BLOB_STORE`, or by default beside the log that is in a directory. */
const blobs = Effect.fnUntraced(function* (from: Location, to: Location) {
  const [owner] = [from, to].flatMap((log) => (log._tag === "Sqlite" ? [log.directory] : []))
  return ReadOnlyLog.blobsOf(owner ?? (yield* configured))
})

const prove = Effect.fnUntraced(function* (options: LogCopy.ProveOptions) {
  const progress = yield* ProgressLine.make(options.copied.events, "events read back")
  return yield* LogCopy.prove({ ...options, onProgress: progress.report }).pipe(
    Effect.ensuring(progress.clear)
  )
})

export const copy = Command.make(
  "copy",
  flags,
  Effect.fnUntraced(function* ({ json, ...addresses }) {
    const from = yield* locate("--from", addresses.from)
    const to = yield* locate("--to", addresses.to)
    if (isSame(from, to)) return yield* wrong(`--to: is the same log as --from, ${nameOf(from)}`)
    const source = yield* CopyEnds.openSource(from)
    const target = yield* CopyEnds.openTarget(to)
    const copied = yield* copyEvents(source, target)
    const verified = yield* prove({ target, copied }).pipe(Effect.provide(yield* blobs(from, to)))
    const { digest, erasedPayloads, events, payloads } = verified
    const ends = [
      { log: nameOf(from), position: copied.position },
      { log: nameOf(to), position: verified.position }
    ] as const
    if (json) {
      const counts = { events, copied: copied.copied, payloads, erasedPayloads, digest }
      return yield* Output.printJson({ ...counts, from: ends[0], to: ends[1] })
    }
    yield* Console.log(
      `Copied ${Output.counted(copied.copied, "event")}. The copy is intact: ${Output.counted(events, "event")}, ` +
        `${Output.counted(payloads, "payload")} and ${Output.count(erasedPayloads)} erased ones.`
    )
    if (events === 0) return
    for (const { log, position } of ends) yield* Console.log(`Anchor of ${log}: ${position}:${digest}`)
  }, Effect.scoped)
).pipe(
  Command.withDescription(
    "Copy a log from one store to another: every event with its id, time and hash, and the payloads that were not erased. " +
      "Stop the servers of both first. After an interruption, the same command continues. At the end, the copy is read back " +
      "and compared with the source's digest. Large payloads and files (BLOB_STORE) are not copied: see docs/reference/cli.md"
  ),
  Command.withShortDescription("Copy the log to another store"),
  Command.withExamples([
    { command: "inferlog log copy --from sqlite --to nats://127.0.0.1:4222" },
    {
      command: "inferlog log copy --from nats://127.0.0.1:4222 --to sqlite:/srv/inferlog-copy",
      description: "Copy back, to a new directory"
    }
  ])
)
