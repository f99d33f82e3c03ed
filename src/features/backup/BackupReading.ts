/** Reads how much of the log is not backed up. */
import { Clock, Effect, Metric, Option, Stream } from "effect"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import * as BackupNote from "./BackupNote.ts"
import * as Families from "./Families.ts"

const msPerSecond = 1_000

export const make = Effect.gen(function* () {
  const directory = yield* DataDirectory
  const reader = yield* EventReader
  return Effect.gen(function* () {
    const position = yield* BackupNote.read(directory)
    if (position === null) return
    const next = yield* Stream.runHead(reader.readAll(position))
    const now = yield* Clock.currentTimeMillis
    const lag = Option.match(next, { onNone: () => 0, onSome: ({ time }) => Math.max(0, now - time) })
    yield* Metric.update(Families.backupPosition.of(), GlobalPosition.sequence(position))
    yield* Metric.update(Families.backupLag.of(), lag / msPerSecond)
  })
})
