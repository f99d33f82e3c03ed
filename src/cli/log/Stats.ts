import * as fs from "node:fs"
import { Console, Effect, Option, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { DataDirectory } from "#src/DataDirectory.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import * as SqliteReading from "#streams/sqlite/SqliteReading.ts"
import * as SqliteVerify from "#streams/sqlite/SqliteVerify.ts"
import * as Output from "../Output.ts"
import * as ReadOnlyLog from "./ReadOnlyLog.ts"

const bytesOf = (file: string) => Effect.sync(() => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0)

/** When the event right after `position` happened. */
const timeAfter = Effect.fnUntraced(function* (position: GlobalPosition.GlobalPosition) {
  const event = yield* Stream.runHead((yield* EventReader).readAll(position))
  return Option.getOrNull(Option.map(event, ({ time }) => Output.time(time)))
})

/** Reads the whole log. */
const countTypes = Effect.gen(function* () {
  const reader = yield* EventReader
  const types = new Map<string, number>()
  let streams = 0
  yield* Stream.runForEachArray(reader.readAll(GlobalPosition.beginning), (events) =>
    Effect.sync(() => {
      for (const { ordinal, type } of events) {
        types.set(type, (types.get(type) ?? 0) + 1)
        if (ordinal === 0) streams++
      }
    })
  )
  return { streams, types: Object.fromEntries([...types].sort(([, a], [, b]) => b - a)) }
})

const measure = Effect.gen(function* () {
  const directory = yield* DataDirectory
  const files = SqliteEventStore.files(directory)
  const [anchor] = yield* SqliteVerify.headAnchor(directory)
  const events = Number(yield* (yield* EventReader).head)
  return {
    events,
    position: anchor?.position ?? null,
    digest: anchor?.digest ?? null,
    firstEventAt: yield* timeAfter(GlobalPosition.beginning),
    lastEventAt: events === 0 ? null : yield* timeAfter(SqliteReading.position(events - 1)),
    bytes: { log: yield* bytesOf(files.log), wal: yield* bytesOf(`${files.log}-wal`) }
  }
})

export const stats = Command.make(
  "stats",
  {
    types: Flag.Boolean("types").pipe(
      Flag.withDescription("Count streams and event types too, which reads the whole log"),
      Flag.withoutNegation,
      Flag.withDefault(false)
    ),
    json: Output.json
  },
  Effect.fnUntraced(function* ({ types, json }) {
    const measured = yield* measure
    const counted = types ? yield* countTypes : undefined
    if (json) return yield* Output.printJson({ ...measured, ...counted })
    const { bytes, digest, events, firstEventAt, lastEventAt, position } = measured
    yield* Console.log(
      Output.table(
        ["events", Output.count(events)],
        [
          ["first event", firstEventAt ?? "-"],
          ["last event", lastEventAt ?? "-"],
          ["log.sqlite", `${Output.count(bytes.log)} bytes`],
          ["log.sqlite-wal", `${Output.count(bytes.wal)} bytes`],
          ["anchor", position === null || digest === "" ? "-" : `${position}:${digest}`]
        ]
      )
    )
    if (counted === undefined) return
    const rows = Object.entries(counted.types).map(([type, count]) => [type, Output.count(count)])
    yield* Console.log(`\n${Output.table(["streams", Output.count(counted.streams)], rows)}`)
  })
).pipe(
  Command.provide(ReadOnlyLog.layerEvents),
  Command.withDescription(
    "Size of the log, and its anchor: the position and digest of its end. Keep the anchor elsewhere; " +
      "'log verify --expect' then proves that nothing before it was changed. Works while a server runs"
  ),
  Command.withShortDescription("Size of the log, and its anchor"),
  Command.withExamples([{ command: "inferlog log stats" }, { command: "inferlog log stats --types --json" }])
)
