/** Read-only access to the log beside the writing process: for projections in their own thread, `verify` and exports. */
import type { DatabaseSync } from "node:sqlite"
import { Effect, Layer, Schedule, type Scope, Stream } from "effect"
import { SegmentSource } from "../archive/SegmentSource.ts"
import { EventReader, EventStoreError } from "../EventReader.ts"
import * as HeadSignal from "../HeadSignal.ts"
import * as Database from "./Database.ts"
import * as LongPages from "./LongPages.ts"
import * as Reads from "./Reads.ts"
import * as Schema from "./Schema.ts"
import * as SqliteReading from "./SqliteReading.ts"

export interface ReaderOptions {
  readonly filename: string
  /** Emits when the log may have grown. The next read includes missed signals. */
  readonly wake?: Stream.Stream<unknown>
  /** Whether reads wait for an archived segment that cannot be read. By default they fail. */
  readonly isPatient?: boolean
}

const attempt = <A>(open: () => A): Effect.Effect<A, EventStoreError> =>
  Effect.try({
    try: open,
    catch: (cause) => new EventStoreError({ reason: "The log cannot be opened for reading", cause })
  })

const openDatabase = (filename: string): Effect.Effect<DatabaseSync, EventStoreError, Scope.Scope> =>
  Effect.acquireRelease(
    attempt(() => Database.open({ filename, readOnly: true, synchronous: "FULL" })),
    (db) => Effect.sync(() => db.close())
  ).pipe(Effect.tap((db) => attempt(() => Schema.check(db))))

/** A failed read is retried, and repeated at the next wake-up, so the follower never ends because of it. */
const follow = (head: Effect.Effect<number, EventStoreError>, signal: HeadSignal.HeadSignal) =>
  head.pipe(
    Effect.retry({ schedule: Schedule.spaced("100 millis"), times: 50 }),
    Effect.map((sequence) => signal.publish(SqliteReading.position(sequence))),
    Effect.catch((error) => Effect.logError("The log's end cannot be read", error))
  )

export const layer = (options: ReaderOptions): Layer.Layer<EventReader, EventStoreError> =>
  Layer.effect(
    EventReader,
    Effect.gen(function* () {
      const db = yield* openDatabase(options.filename)
      const reads = yield* attempt(() => Reads.make(db))
      const signal = HeadSignal.make(SqliteReading.position(yield* attempt(reads.head)))
      yield* (options.wake ?? Stream.empty).pipe(
        Stream.runForEach(() => follow(attempt(reads.head), signal)),
        Effect.forkScoped
      )
      const segments = yield* SegmentSource
      const { isPatient = false } = options
      const page = LongPages.make(reads)
      return EventReader.of(SqliteReading.make({ db, reads, signal, segments, isPatient, page }))
    })
  )
