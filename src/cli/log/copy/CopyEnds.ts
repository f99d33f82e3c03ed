/** The two ends of a copy, opened so that nobody else writes to a log in a directory meanwhile. */
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
    return `--from: there is no event log in ${this.directory}`
  }
}

/** What a server appends meanwhile would be missing in the copy, or would be in its way. */
export class LogInUse extends Schema.TaggedError<LogInUse>()("LogInUse", { directory: Schema.String }) {
  override get message(): string {
    return `A server, or another command, uses ${this.directory}: stop it first, nothing may be appended while a log is copied`
  }
}

/** Read models and `log.head` tell of the positions of one log. */
export class NotEmpty extends Schema.TaggedError<NotEmpty>()("NotEmpty", {
  directory: Schema.String,
  file: Schema.String
}) {
  override get message(): string {
    return `--to: ${this.directory} holds ${this.file} of another log: name a new directory`
  }
}

const inUse = ({ directory }: DataLock.DataDirectoryLocked) => new LogInUse({ directory })

export interface Source {
  readonly reading: Reading
  readonly anchors: ReadonlyArray<Anchor>
  /** Whether its positions count commits (`ChosenLog.countsCommits`). */
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

/** A directory without a log may not have what was made of another one. */
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

/** The client is loaded where it is needed only. */
const natsTarget = (nats: NatsOptions) =>
  Effect.flatMap(
    Effect.promise(() => import("#streams/nats/JetStreamTarget.ts")),
    (JetStreamTarget) => JetStreamTarget.open(nats)
  )

/** A directory is made when it is not there. */
export const openTarget = (place: ChosenLog.LogPlace) =>
  place._tag === "Sqlite" ? sqliteTarget(place.directory) : natsTarget(place.options)
