import * as fs from "node:fs"
import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import * as ChosenLog from "#src/platform/log/ChosenLog.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import * as Output from "#src/cli/Output.ts"
import * as LogEnds from "./LogEnds.ts"
import * as ReadOnlyLog from "./ReadOnlyLog.ts"
import * as TypeCounts from "./TypeCounts.ts"

const bytesOf = (file: string) => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0

const fileSizes = (directory: string) => {
  const { log } = SqliteEventStore.files(directory)
  return { log: bytesOf(log), wal: bytesOf(`${log}-wal`) }
}

/** A log on NATS has no files here, and the number of its events is unknown without reading them. */
const measure = Effect.gen(function* () {
  const directory = yield* DataDirectory
  const countsCommits = yield* ChosenLog.countsCommits
  const [anchor] = yield* ChosenLog.headAnchors(directory)
  const head = yield* (yield* EventReader).head
  const count = GlobalPosition.sequence(head)
  return {
    events: countsCommits ? null : count,
    ...(countsCommits && { commits: count }),
    position: anchor?.position ?? null,
    digest: anchor?.digest ?? null,
    firstEventAt: yield* LogEnds.firstTime,
    lastEventAt: yield* LogEnds.lastTime(head),
    bytes: countsCommits ? null : fileSizes(directory)
  }
})

type Measured = Effect.Success<typeof measure>

const rows = ({ bytes, digest, firstEventAt, lastEventAt, position }: Measured) => [
  ["first event", firstEventAt ?? "-"],
  ["last event", lastEventAt ?? "-"],
  ...(bytes === null
    ? []
    : [
        ["log.sqlite", `${Output.count(bytes.log)} bytes`],
        ["log.sqlite-wal", `${Output.count(bytes.wal)} bytes`]
      ]),
  ["anchor", position === null || digest === "" ? "-" : `${position}:${digest}`]
]

const total = ({ commits, events }: Measured): readonly [string, string] =>
  events === null ? ["commits", Output.count(commits ?? 0)] : ["events", Output.count(events)]

export const stats = Command.make(
  "stats",
  {
    types: Flag.Boolean("types").pipe(
      Flag.withDescription("Also count streams and event types, which reads the whole log"),
      Flag.withoutNegation,
      Flag.withDefault(false)
    ),
    json: Output.json
  },
  Effect.fnUntraced(function* ({ types, json }) {
    const counted = types ? yield* TypeCounts.count : undefined
    const measured = { ...(yield* measure), ...counted?.end }
    if (json) return yield* Output.printJson({ ...measured, ...counted?.counts })
    yield* Console.log(Output.table(total(measured), rows(measured)))
    if (counted === undefined) return
    const { streams, types: found } = counted.counts
    const lines = Object.entries(found).map(([type, count]) => [type, Output.count(count)])
    yield* Console.log(`\n${Output.table(["streams", Output.count(streams)], lines)}`)
  })
).pipe(
  Command.provide(ReadOnlyLog.layerEvents),
  Command.withDescription(
    "Show the size of the log and its anchor: the position and digest of its end. Store the anchor elsewhere; " +
      "'log verify --expect' then proves that nothing before it was changed. Works while a server runs"
  ),
  Command.withShortDescription("Show the size of the log and its anchor"),
  Command.withExamples([{ command: "inferlog log stats" }, { command: "inferlog log stats --types --json" }])
)
