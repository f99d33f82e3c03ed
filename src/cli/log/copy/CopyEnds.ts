/** Opens the source and the target of a copy. Logs in a directory are locked against other writers. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Context, Effect, Layer } from "effect"
import * as Generations from "#projections/rebuild/Generations.ts"
import * as ChosenLog from "#src/platform/log/ChosenLog.ts"
import { DataDirectory, holdsLog } from "#src/kernel/disk/DataDirectory.ts"
import * as EventStoreTarget from "#streams/copy/EventStoreTarget.ts"
import { EventReader } from "#streams/EventReader.ts"
import { EventStore } from "#streams/EventStore.ts"
import type { NatsOptions } from "#streams/nats/NatsOptions.ts"
import * as DataLock from "#streams/DataLock.ts"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import * as LogFiles from "#streams/sqlite/LogFiles.ts"
import * as SqliteVerify from "#streams/sqlite/SqliteVerify.ts"
import { CommandError } from "#src/cli/Failure.ts"
import type { Anchor } from "#streams/Verify.ts"

/** Events appended during the copy would be missing in it, or would conflict with it. */
const inUse = ({ directory }: DataLock.DataDirectoryLocked) =>
  new CommandError({
    message: `A server or another command uses ${directory}: stop it first, because nothing may be appended during a copy`
  })

export const openSource = Effect.fnUntraced(function* (place: ChosenLog.LogLocation) {
  let anchors: ReadonlyArray<Anchor> = []
  if (place._tag === "Sqlite") {
    if (!holdsLog(place.directory)) {
      return yield* new CommandError({ message: `--from: ${place.directory} contains no event log` })
    }
    yield* Effect.catchTag(DataLock.acquire(place.directory), "DataDirectoryLocked", inUse)
    anchors = yield* SqliteVerify.headAnchor(place.directory)
  }
  const reading = Context.get(yield* Layer.build(ChosenLog.readerAt(place)), EventReader)
  // On NATS, positions count commits.
  return { reading, anchors, countsCommits: place._tag === "Nats" }
})

/** A directory without a log must not contain files derived from another log, which refer to its positions. */
const checkFresh = Effect.fnUntraced(function* (directory: string) {
  if (holdsLog(directory)) return
  const { head } = LogFiles.files(directory)
  const left = [head, Generations.current(Generations.baseIn(directory))].find((file) => fs.existsSync(file))
  if (left !== undefined) {
    return yield* new CommandError({
      message: `--to: ${directory} contains ${path.basename(left)} of another log: choose a new directory`
    })
  }
})

const sqliteTarget = Effect.fnUntraced(function* (directory: string) {
  yield* checkFresh(directory)
  yield* Layer.build(DataDirectory.layerAt(directory))
  const context = yield* Effect.catchTag(
    Layer.build(SqliteEventStore.layer(directory)),
    "DataDirectoryLocked",
    inUse
  )
  return EventStoreTarget.make(Context.get(context, EventStore), { sharesCommits: true })
})

/** Loads the NATS client only when it is needed. */
const natsTarget = (nats: NatsOptions) =>
  Effect.flatMap(
    Effect.promise(() => import("#streams/nats/JetStreamTarget.ts")),
    (JetStreamTarget) => JetStreamTarget.open(nats)
  )

/** Creates a missing directory. */
export const openTarget = (place: ChosenLog.LogLocation) =>
  place._tag === "Sqlite" ? sqliteTarget(place.directory) : natsTarget(place.options)
