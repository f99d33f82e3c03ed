import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import type * as ChosenLog from "#src/platform/log/ChosenLog.ts"
import { configured } from "#src/kernel/disk/DataDirectory.ts"
import * as LogCopy from "#streams/copy/LogCopy.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as Failure from "#src/cli/Failure.ts"
import * as Output from "#src/cli/Output.ts"
import * as ProgressLine from "#src/cli/ProgressLine.ts"
import * as LogProgress from "../LogProgress.ts"
import * as ReadOnlyLog from "../ReadOnlyLog.ts"
import * as CopyEnds from "./CopyEnds.ts"
import * as LogPlace from "./LogPlace.ts"

const place = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar("LOG"), Flag.withDescription(description))

const flags = {
  from: place("from", "The log to copy: sqlite (in DATA_DIR), sqlite:<directory> or nats://…"),
  to: place(
    "to",
    "Where to copy it: the same forms. An existing log there must be a copy of the source, or the beginning of one"
  ),
  json: Output.json
}

/** Does not show the invalid value, because it may contain a password. */
const pageKeyOf = (flag: string, text: string) =>
  Option.match(LogPlace.parse(text), {
    onNone: () => Effect.fail(new Failure.UsageError({ message: `${flag}: ${LogPlace.expected}` })),
    onSome: LogPlace.resolve
  })

const places = Effect.fnUntraced(function* (options: { readonly from: string; readonly to: string }) {
  const from = yield* pageKeyOf("--from", options.from)
  const to = yield* pageKeyOf("--to", options.to)
  if (LogPlace.isSame(from, to)) {
    return yield* new Failure.UsageError({
      message: `--to: is the same log as --from, ${LogPlace.name(from)}`
    })
  }
  return { from, to }
})

const copyEvents = Effect.fnUntraced(function* (
  { anchors, countsCommits, reading }: CopyEnds.Source,
  target: LogCopy.CopyOptions["target"]
) {
  const end = yield* reading.head
  const progress = yield* LogProgress.of(countsCommits, { after: GlobalPosition.beginning, end })
  return yield* LogCopy.copy({ source: reading, target, anchors, onProgress: progress.report }).pipe(
    Effect.ensuring(progress.clear)
  )
})

/** Large payloads are in `BLOB_STORE`, or by default beside the log that is in a directory. */
const blobs = Effect.fnUntraced(function* (from: ChosenLog.LogPlace, to: ChosenLog.LogPlace) {
  const [owner] = [from, to].flatMap((place) => (place._tag === "Sqlite" ? [place.directory] : []))
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
    const { from, to } = yield* places(addresses)
    const source = yield* CopyEnds.openSource(from)
    const target = yield* CopyEnds.openTarget(to)
    const copied = yield* copyEvents(source, target)
    const verified = yield* prove({ target, copied }).pipe(Effect.provide(yield* blobs(from, to)))
    const { digest, erasedPayloads, events, payloads } = verified
    const ends = [
      { log: LogPlace.name(from), position: copied.position },
      { log: LogPlace.name(to), position: verified.position }
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
