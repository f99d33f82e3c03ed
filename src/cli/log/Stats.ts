import * as fs from "node:fs"
import { Console, Effect, Option, Stream } from "effect"
import { Command } from "effect/cli"
import * as ChosenLog from "#src/platform/log/ChosenLog.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import * as EventChain from "#streams/EventChain.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import * as Flags from "#src/cli/Flags.ts"
import * as TailRead from "#streams/TailRead.ts"
import * as Output from "#src/cli/Output.ts"
import * as ReadOnlyLog from "./ReadOnlyLog.ts"

const bytesOf = (file: string) => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0

const fileSizes = (directory: string) => {
  const { log } = SqliteEventStore.files(directory)
  return { log: bytesOf(log), wal: bytesOf(`${log}-wal`) }
}

/** Time of the first event, ISO 8601; `null` for an empty log. */
const firstTime = Effect.gen(function* () {
  const event = yield* Stream.runHead((yield* EventReader).readAll(GlobalPosition.beginning))
  return Option.getOrNull(Option.map(event, ({ time }) => Output.time(time)))
})

const lastTime = Effect.fnUntraced(function* (head: GlobalPosition.GlobalPosition) {
  const [event] = yield* TailRead.last({ end: head, limit: 1, matches: () => true })
  return event === undefined ? null : Output.time(event.time)
})

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
    firstEventAt: yield* firstTime,
    lastEventAt: yield* lastTime(head),
    bytes: countsCommits ? null : fileSizes(directory)
  }
})

/** Counts that require a pass over the whole log. */
const countTypes = Effect.gen(function* () {
  const reader = yield* EventReader
  const countsCommits = yield* ChosenLog.countsCommits
  const types = new Map<string, number>()
  let streams = 0
  let events = 0
  let position = GlobalPosition.beginning
  let digest = EventChain.origin
  yield* Stream.runForEachArray(reader.readAll(GlobalPosition.beginning), (page) =>
    Effect.sync(() => {
      for (const { hash, ordinal, type } of page) {
        types.set(type, (types.get(type) ?? 0) + 1)
        if (ordinal === 0) streams++
        if (countsCommits) digest = EventChain.digest(digest, hash)
      }
      events += page.length
      position = page.at(-1)?.position ?? position
    })
  )
  return {
    counts: { streams, types: Object.fromEntries([...types].sort(([, a], [, b]) => b - a)) },
    /** On NATS, only this pass knows these values. */
    end: countsCommits ? { events, position, digest } : undefined
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
    types: Flags.toggle("types", "Also count streams and event types, which reads the whole log"),
    json: Output.json
  },
  Effect.fnUntraced(function* ({ types, json }) {
    const counted = types ? yield* countTypes : undefined
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
