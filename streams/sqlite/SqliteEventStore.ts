/**
 * The log in `log.sqlite`: one writer in its own thread, WAL with `synchronous=FULL`, group commit. It locks the data
 * directory while it is open.
 */
import * as fs from "node:fs"
import type { DatabaseSync } from "node:sqlite"
import { Context, Deferred, Effect, Layer, Schedule } from "effect"
import { AppendObserver } from "../AppendObserver.ts"
import { SegmentSource } from "../archive/SegmentSource.ts"
import * as EventChain from "../EventChain.ts"
import { EventReader, EventStoreError } from "../EventReader.ts"
import { EventStore } from "../EventStore.ts"
import { LogFailure } from "../LogFailure.ts"
import * as HeadSignal from "../HeadSignal.ts"
import type { ArchivedReads } from "./archive/ArchivedReads.ts"
import { ArchiveWriter } from "./archive/ArchiveWriter.ts"
import * as Database from "./Database.ts"
import * as DataLock from "../DataLock.ts"
import * as LogEnd from "./LogEnd.ts"
import * as FilesInPlace from "./FilesInPlace.ts"
import { files } from "./LogFiles.ts"
import type * as LogHead from "../LogHead.ts"
import * as OpenLogHead from "../OpenLogHead.ts"
import { LogUnavailable } from "../LogUnavailable.ts"
import * as Reads from "./Reads.ts"
import * as Tables from "./archive/Tables.ts"
import * as LogSchema from "./Schema.ts"
import * as SqliteReading from "./SqliteReading.ts"
import * as WalWarnings from "./WalWarnings.ts"
import * as Checkpoints from "./thread/Checkpoints.ts"
import * as WalTruncation from "./thread/WalTruncation.ts"
import * as Writer from "./Writer.ts"
import * as WriterThread from "./WriterThread.ts"

const emptyHead: LogHead.Head = { sequence: 0, digest: EventChain.origin }

const openDatabase = (filename: string) =>
  Effect.acquireRelease(
    Effect.try({
      try: () => {
        const db = Database.open({ filename, synchronous: "FULL", canShrink: true })
        LogSchema.prepare(db)
        return db
      },
      catch: (cause) => new LogUnavailable({ reason: `${filename} cannot be opened as an event log`, cause })
    }),
    (db) => Effect.sync(() => db.close())
  )

/** Writes `log.head` before the thread takes it over. */
const prepareHead = (filename: string, head: LogHead.Head) =>
  Effect.scoped(Effect.map(OpenLogHead.open(filename), (logHead) => logHead.write(head)))

/**
 * The running digest at the end of the log, computed from `log.head` on. Without the file, that is from the first event, which may
 * be archived.
 */
const catchUp = Effect.fnUntraced(function* (
  reads: Reads.Reads,
  archived: ArchivedReads,
  known: LogHead.Head
) {
  const end = yield* LogEnd.readable(reads.head)
  let head = known
  while (head.sequence < end) {
    const after = head
    const hashes = yield* LogEnd.readable(() => reads.hashes(after.sequence))
    const isWhole = hashes.every(({ sequence }, index) => sequence === after.sequence + 1 + index)
    const next = isWhole ? hashes : yield* archivedHashes(archived, after.sequence)
    for (const { sequence, hash } of next) {
      head = { sequence, digest: EventChain.digest(head.digest, hash) }
    }
    if (head === after) break
  }
  return head
})

const archivedHashes = (archived: ArchivedReads, after: number) =>
  archived.page(after, undefined).pipe(
    Effect.map((events) => events.map(({ hash, position }) => ({ sequence: Number(position), hash }))),
    Effect.catchTag("EventStoreError", (error) => new LogUnavailable({ reason: error.reason, cause: error }))
  )

/** Checks once a second. Data acknowledged since the replacement is not safe, but no more is lost. */
const watchFiles = (filenames: ReadonlyArray<string>, writer: Writer.Writer) =>
  Effect.suspend(() => {
    const displaced = FilesInPlace.make(filenames)
    const check = Effect.sync(() => {
      const filename = displaced()
      if (filename === undefined) return true
      writer.fail(new EventStoreError({ reason: `${filename} was removed or replaced while it was in use` }))
      return false
    })
    return Effect.forkScoped(
      Effect.repeat(check, { schedule: Schedule.spaced("1 second"), while: (inPlace) => inPlace })
    )
  })

/** Runs at most once a second. */
const settle = (writer: Writer.Writer, warn: Effect.Effect<void>) =>
  Effect.forkScoped(
    Effect.repeat(Effect.andThen(Effect.sync(writer.settle), warn), Schedule.spaced("1 second"))
  )

/**
 * Wipes from the disk what a previous process erased but could not wipe. Returns whether that still has to be done: the log
 * has other readers, or the disk cannot be written.
 */
const clearErased = (db: DatabaseSync): boolean => {
  const truncation = WalTruncation.make(db)
  try {
    truncation.settle()
  } catch (cause) {
    if (!Checkpoints.isHarmless(cause)) throw cause
  }
  return truncation.isOwed()
}

const make = Effect.fnUntraced(function* (directory: string) {
  yield* DataLock.acquire(directory)
  const names = files(directory)
  if (fs.existsSync(names.log) && !fs.existsSync(names.head)) {
    yield* Effect.logWarning("log.head is missing, so a lost end of the log cannot be detected")
  }
  const known = (yield* OpenLogHead.read(names.head)) ?? emptyHead
  yield* LogEnd.assertNotTruncated(names.log, known)
  const db = yield* openDatabase(names.log)
  const reads = yield* LogEnd.readable(() => Reads.make(db))
  const segments = yield* SegmentSource
  const start = yield* catchUp(reads, SqliteReading.archivedReads({ db, reads, segments }), known)
  yield* prepareHead(names.head, start)
  const isTruncationOwed = yield* LogEnd.readable(() => clearErased(db))
  // Only the thread writes from now on. A write of this connection would wait for the disk.
  db.exec("PRAGMA query_only = ON")

  const signal = HeadSignal.make(SqliteReading.position(start.sequence))
  const failed = Deferred.makeUnsafe<never, EventStoreError>()
  const observe = yield* AppendObserver
  const wal = yield* WalWarnings.make
  const writer = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Writer.make({
        open: WriterThread.open({
          filename: names.log,
          headFilename: names.head,
          head: start,
          isTruncationOwed
        }),
        onCommit: (events, head, commits) => {
          signal.publish(SqliteReading.position(head.sequence), events)
          for (const commit of commits) observe(commit)
        },
        onSettled: wal.update,
        onFailure: (error) => Deferred.doneUnsafe(failed, Effect.fail(error))
      })
    ),
    (writer) => writer.close
  )
  yield* settle(writer, wal.warn)
  yield* watchFiles([names.log, names.head], writer)
  // Commits that this thread does not know of yet are left for later.
  const head = Effect.sync(signal.current)
  const reading = SqliteReading.make({ db, reads, signal, head, segments })
  return Context.make(EventStore, {
    ...reading,
    append: writer.append,
    send: writer.send,
    settled: () => Effect.void
  }).pipe(
    Context.add(EventReader, reading),
    Context.add(LogFailure, { await: Deferred.await(failed) }),
    Context.add(ArchiveWriter, {
      archive: writer.archive,
      tables: Tables.make(db),
      rows: (after, limit) => LogEnd.readable(() => reads.page(after, limit))
    })
  )
})

/** Fails when another process has locked the directory, or when acknowledged events are missing. */
export const layer = (
  directory: string
): Layer.Layer<
  EventStore | EventReader | LogFailure | ArchiveWriter,
  DataLock.DataDirectoryLocked | LogUnavailable | OpenLogHead.LogHeadDamaged | LogEnd.LogTruncated
> => Layer.effectContext(make(directory))
