/** Opens the source and the target of a copy. Logs in a directory are locked against other writers. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Context, Effect, Layer, Schema } from "effect"
import * as Generations from "#projections/rebuild/Generations.ts"
import * as ChosenLog from "#src/platform/log/ChosenLog.ts"
import { DataDirectory, holdsLog } from "#src/kernel/disk/DataDirectory.ts"
import * as EventStoreTarget from "#streams/copy/EventStoreTarget.ts"
import { EventReader, type Reading } from "#streams/EventReader.ts"
import { EventStore } from "#streams/EventStore.ts"
import type { NatsOptions } from "#streams/nats/NatsOptions.ts"
import * as DataLock from "#streams/DataLock.ts"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import * as SqliteVerify from "#streams/sqlite/SqliteVerify.ts"
import type { Anchor } from "#streams/Verify.ts"

export class NothingToCopy extends Schema.TaggedError<NothingToCopy>()("NothingToCopy", {
  directory: Schema.String
}) {
  override get message(): string {
    return `--from: ${this.directory} contains no event log`
  }
}

/** Events appended during the copy would be missing in it, or would conflict with it. */
export class LogInUse extends Schema.TaggedError<LogInUse>()("LogInUse", { directory: Schema.String }) {
  override get message(): string {
    return `A server or another command uses ${this.directory}: stop it first, because nothing may be appended during a copy`
  }
}

/** Read models and `log.head` refer to positions of one log. */
export class NotEmpty extends Schema.TaggedError<NotEmpty>()("NotEmpty", {
  directory: Schema.String,
  file: Schema.String
}) {
  override get message(): string {
    return `--to: ${this.directory} contains ${this.file} of another log: choose a new directory`
  }
}

const inUse = ({ directory }: DataLock.DataDirectoryLocked) => new LogInUse({ directory })

export interface Source {
  readonly reading: Reading
  readonly anchors: ReadonlyArray<Anchor>
  /** Whether positions count commits (`ChosenLog.countsCommits`). */
  readonly countsCommits: boolean
}

export const openSource = Effect.fnUntraced(function* (place: ChosenLog.LogPlace) {
  let anchors: ReadonlyArray<Anchor> = []
  if (place._tag === "Sqlite") {
    if (!holdsLog(place.directory)) return yield* new NothingToCopy({ directory: place.directory })
    yield* Effect.catchTag(DataLock.acquire(place.directory), "DataDirectoryLocked", inUse)
    anchors = yield* SqliteVerify.headAnchor(place.directory)
  }
  const reading = Context.get(yield* Layer.build(ChosenLog.readerAt(place)), EventReader)
  return { reading, anchors, countsCommits: place._tag === "Nats" } satisfies Source
})

/** A directory without a log must not contain files derived from another log. */
const checkFresh = Effect.fnUntraced(function* (directory: string) {
  if (holdsLog(directory)) return
  const { head } = SqliteEventStore.files(directory)
  const left = [head, Generations.current(Generations.baseIn(directory))].find((file) => fs.existsSync(file))
  if (left !== undefined) return yield* new NotEmpty({ directory, file: path.basename(left) })
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
export const openTarget = (place: ChosenLog.LogPlace) =>
  place._tag === "Sqlite" ? sqliteTarget(place.directory) : natsTarget(place.options)
