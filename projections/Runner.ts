/**
 * Builds read models: follows the log and applies it to all projections, with rows and checkpoints in one transaction per
 * batch. A deleted file is rebuilt with the same rows.
 */
import { type Array, Effect, type Scope, Stream } from "effect"
import { EventReader, type EventStoreError } from "#streams/EventReader.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as Database from "#streams/sqlite/Database.ts"
import type { Progress } from "./Progress.ts"
import type { Projection } from "./Projection.ts"
import { attempt, type ReadModelError } from "./ReadModelError.ts"
import * as Checkpoints from "./runner/Checkpoints.ts"
import { describe } from "./runner/Failure.ts"
import { type Failure, type Group, makeApply } from "./runner/Group.ts"
import * as Groups from "./runner/Groups.ts"
import * as Pace from "./runner/Pace.ts"
import * as Start from "./runner/Start.ts"

export interface RunnerOptions {
  readonly filename: string
  readonly projections: ReadonlyArray<Projection>
  /** Called with all projections when their tables exist, then with those that a commit moved or that stopped. */
  readonly publish: (moved: ReadonlyArray<Progress>) => void
  /** By default, each batch follows as soon as there are events. */
  readonly pace?: Pace.Pace
}

/**
 * Prepares the file, then follows the log without end. A projection is rebuilt when its version has changed or its rows come
 * from another log. A projection that cannot apply an event stops and logs an error; the others continue.
 */
export const run = Effect.fnUntraced(function* (
  options: RunnerOptions
): Effect.fn.Return<never, ReadModelError | EventStoreError, EventReader | Scope.Scope> {
  const reader = yield* EventReader
  const db = yield* openDatabase(options.filename)
  const checkpoints = yield* attempt(unprepared, () => Checkpoints.make(db))
  const start = yield* Start.prepare({ db, checkpoints, reader, projections: options.projections })
  const groups = Groups.make(start, makeApply(db, checkpoints))
  // Those of all groups, because a projection may join a group between a read and its batch.
  const types = [
    ...new Set(start.flatMap(({ members }) => members.flatMap(({ rules }) => [...rules.keys()])))
  ]

  const advance = Effect.fnUntraced(function* (
    group: Group,
    events: Array.NonEmptyReadonlyArray<RecordedEvent>,
    rest: ReturnType<Pace.Pace["join"]>
  ) {
    const began = performance.now()
    const { failures, continues, ...moved } = yield* attempt(unwritten, () => groups.advance(group, events))
    options.publish([progressOf(moved), ...failures.map(stopped)])
    yield* Effect.forEach(failures, logFailure, { discard: true })
    yield* rest({ events: events.length, tookMs: performance.now() - began })
    return continues
  })

  const { join } = options.pace ?? Pace.restless
  const follow = (group: Group) => {
    const rest = join()
    return reader.subscribe(group.checkpoint.position, types).pipe(
      Stream.chunks,
      Stream.runForEachWhile((events) => advance(group, events, rest))
    )
  }

  options.publish(start.map(progressOf))
  yield* Effect.forEach(start, follow, { concurrency: "unbounded", discard: true })
  return yield* Effect.never
})

const unprepared = "The file of the read models cannot be opened"
const unwritten = "The file of the read models cannot be written"

/** KiB. More gains nothing: batches write the ends of indexes. */
const cacheSize = 16_384

/** Pages of 4 KiB in the journal before a checkpoint. A page that is in the journal twice is copied to the file once. */
const checkpointPages = 16_384

const openDatabase = (filename: string) =>
  Effect.acquireRelease(
    attempt(unprepared, () => {
      const db = Database.open({ filename, synchronous: "NORMAL" })
      db.exec(`PRAGMA cache_size = -${cacheSize}; PRAGMA wal_autocheckpoint = ${checkpointPages}`)
      return db
    }),
    (db) => Effect.sync(() => db.close())
  )

const progressOf = ({ members, checkpoint }: Pick<Group, "members" | "checkpoint">): Progress => ({
  projections: members.map(({ name }) => name),
  position: checkpoint.position,
  stopped: false,
  reason: null
})

const stopped = ({ member, position, event, cause }: Failure): Progress => ({
  projections: [member.name],
  position,
  stopped: true,
  reason: `cannot apply ${event.type} at position ${event.position} (${describe(cause)})`
})

const logFailure = ({ member, event, cause }: Failure) =>
  Effect.logError("A projection has stopped: it cannot apply an event").pipe(
    Effect.annotateLogs({
      projection: member.name,
      position: event.position,
      type: event.type,
      reason: describe(cause)
    })
  )
