/**
 * `output.sqlite` in the data directory, for a single node. A commit is not synced: after a power cut the runs of these chunks
 * are lost, too, and their requests run again. The file is opened with the first chunk, and may be deleted.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import type { DatabaseSync, StatementResultingChanges } from "node:sqlite"
import { Clock, Context, Effect, Layer, Queue, Result, Schema } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import { supervise } from "#src/kernel/async/Supervise.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import * as Database from "#streams/sqlite/Database.ts"
import { ChunkStore, ChunkStoreError, keptMs, type Page, pageBytes, type Place } from "./ChunkStore.ts"

/** Of the table. A file with another version is replaced. */
const schemaVersion = 1

const schema = `
  CREATE TABLE batches (
    id INTEGER PRIMARY KEY,
    request_id TEXT NOT NULL,
    run TEXT NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    is_complete INTEGER NOT NULL,
    stored_at INTEGER NOT NULL,
    chunks TEXT NOT NULL
  ) STRICT;
  CREATE INDEX batches_of_request ON batches (request_id, id);
  CREATE INDEX batches_by_time ON batches (stored_at);
  PRAGMA user_version = ${schemaVersion};
`

/** No other process writes to the file. */
const busyTimeoutMs = 25

/** Batches removed at a time, because a removal keeps the thread busy: 500 of 64 KiB for 0.4 s. And the pause between rounds. */
const removedAtOnce = 50
const removeEvery = "10 seconds"

/** Bytes of the file, beyond which the oldest chunks are removed before their time. */
export const MostBytes = Context.Reference<number>("inferlog/src/features/live-output/MostBytes", {
  defaultValue: () => 1024 * 1024 * 1024
})

const statementsOf = (db: DatabaseSync) => ({
  db,
  insert: db.prepare(
    `INSERT INTO batches (request_id, run, first, last, is_complete, stored_at, chunks) VALUES (?, ?, ?, ?, ?, ?, ?)`
  ),
  newest: db.prepare(
    `SELECT run, last, is_complete FROM batches WHERE request_id = ? ORDER BY id DESC LIMIT 1`
  ),
  after: db.prepare(
    `SELECT id, first, last, chunks FROM batches WHERE request_id = ? AND run = ? AND last > ? AND id > ? ORDER BY id`
  ),
  remove: db.prepare(
    `DELETE FROM batches WHERE id IN (SELECT id FROM batches WHERE request_id = ? ORDER BY id LIMIT ${removedAtOnce})`
  ),
  newestOfAll: db.prepare(`SELECT id FROM batches ORDER BY id DESC LIMIT 1`),
  removeOldest: db.prepare(
    `DELETE FROM batches WHERE id IN (SELECT id FROM batches ORDER BY id LIMIT ${removedAtOnce})`
  ),
  size: db.prepare(
    `SELECT (page_count - freelist_count) * page_size AS bytes FROM pragma_page_count, pragma_freelist_count, pragma_page_size`
  ),
  removeOld: db.prepare(
    `DELETE FROM batches WHERE id IN (SELECT id FROM batches WHERE stored_at < ? ORDER BY stored_at LIMIT ${removedAtOnce})`
  )
})
type Statements = ReturnType<typeof statementsOf>

const Newest = Schema.Struct({ run: Schema.String, last: Schema.Int, is_complete: Schema.Int })
const Row = Schema.Struct({
  id: Schema.Int,
  first: Schema.Int,
  last: Schema.Int,
  chunks: Schema.String
})
const bytesOf = Schema.decodeUnknownSync(Schema.Struct({ bytes: Schema.Int }))
const nothingRemoved: StatementResultingChanges = { changes: 0, lastInsertRowid: 0 }
const newestOf = Schema.decodeUnknownSync(Schema.UndefinedOr(Newest))
const rowOf = Schema.decodeUnknownSync(Row)

const removeFiles = (filename: string): void => {
  for (const suffix of ["", "-wal", "-shm"]) fs.rmSync(filename + suffix, { force: true })
}

const connect = (filename: string): DatabaseSync =>
  Database.open({ filename, synchronous: "NORMAL", canShrink: true, busyTimeoutMs })

/** A file that cannot be read, or that another release wrote, is replaced: at worst its readers get the output at the end. */
const open = (filename: string): Statements => {
  const versionOf = (db: DatabaseSync) =>
    Number(Object.values(db.prepare("PRAGMA user_version").get() ?? {})[0])
  const opened = Result.try(() => {
    const db = connect(filename)
    if (versionOf(db) === schemaVersion) return statementsOf(db)
    db.close()
    return null
  })
  if (Result.isSuccess(opened) && opened.success !== null) return opened.success
  removeFiles(filename)
  const db = connect(filename)
  db.exec(schema)
  return statementsOf(db)
}

const inTransaction = (db: DatabaseSync, write: () => void): void => {
  db.exec("BEGIN IMMEDIATE")
  try {
    write()
    db.exec("COMMIT")
  } catch (cause) {
    if (db.isTransaction) db.exec("ROLLBACK")
    throw cause
  }
}

const textsOf = ({ chunks, first, last }: typeof Row.Type): ReadonlyArray<string> =>
  last < first ? [] : chunks.split("\n")

/** As `ChunkStore.read`. */
const read = ({ after, newest }: Statements, requestId: RequestId, place: Place | null): Page | null => {
  const found = newestOf(newest.get(requestId))
  if (found === undefined) return null
  const { run } = found
  const { cursor: before = 0, index } = place?.run === run ? place : { index: 0 }
  let cursor = before
  const texts: Array<string> = []
  let size = 0
  let reached = index
  for (const row of after.iterate(requestId, run, index, before)) {
    const batch = rowOf(row)
    if (batch.first > reached + 1) break
    texts.push(...textsOf(batch).slice(reached + 1 - batch.first))
    reached = batch.last
    cursor = batch.id
    size += batch.chunks.length
    if (size >= pageBytes) break
  }
  const isComplete = found.is_complete === 1 && reached === found.last
  return texts.length === 0 && !isComplete && place?.run === run
    ? null
    : { run, first: index + 1, texts, isComplete, cursor }
}

const make = Effect.fnUntraced(function* (filename: string) {
  let statements: Statements | null = null

  const use = <A>(act: (statements: Statements) => A): Effect.Effect<A, ChunkStoreError> =>
    Effect.try({
      try: () => act((statements ??= open(filename))),
      catch: (cause) => new ChunkStoreError({ cause })
    })

  /** Without opening a file that has nothing. */
  const useExisting = <A>(absent: A, act: (statements: Statements) => A): Effect.Effect<A, ChunkStoreError> =>
    Effect.suspend(() =>
      statements === null && !fs.existsSync(filename) ? Effect.succeed(absent) : use(act)
    )

  /** In rounds, between which the thread does other work. @param remove removes some batches. */
  const removeAll = (remove: (statements: Statements) => StatementResultingChanges) =>
    Effect.gen(function* () {
      let isMore = true
      while (isMore) {
        isMore = yield* useExisting(false, (statements) => {
          const { changes } = remove(statements)
          if (Number(changes) > 0) statements.db.exec("PRAGMA incremental_vacuum")
          return Number(changes) === removedAtOnce
        })
        yield* Effect.yieldNow
      }
    })

  const mostBytes = yield* MostBytes
  const removeOld = Effect.gen(function* () {
    const before = (yield* Clock.currentTimeMillis) - keptMs
    yield* removeAll(({ removeOld }) => removeOld.run(before))
    yield* removeAll((statements) =>
      bytesOf(statements.size.get()).bytes > mostBytes ? statements.removeOldest.run() : nothingRemoved
    )
    return yield* useExisting(false, ({ newestOfAll }) => newestOfAll.get() !== undefined)
  })

  /** Sleeps while nothing is stored. */
  const hasBatches = yield* Queue.sliding<void>(1)
  if (fs.existsSync(filename)) Queue.offerUnsafe(hasBatches, undefined)
  const removeWhenOld = Effect.gen(function* () {
    yield* Queue.take(hasBatches)
    yield* Effect.sleep(removeEvery)
    if (yield* removeOld) Queue.offerUnsafe(hasBatches, undefined)
  })
  yield* Effect.addFinalizer(() => Effect.sync(() => statements?.db.close()))
  yield* Effect.forkScoped(supervise("Removing old chunks of outputs", Effect.forever(removeWhenOld)))

  return ChunkStore.of({
    write: (batches) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        use(({ db, insert }) => {
          Queue.offerUnsafe(hasBatches, undefined)
          inTransaction(db, () => {
            for (const { first, isComplete, requestId, run, texts } of batches) {
              const last = first + texts.length - 1
              insert.run(requestId, run, first, last, isComplete ? 1 : 0, now, texts.join("\n"))
            }
          })
        })
      ),
    read: (requestId, place) =>
      useExisting<Page | null>(null, (statements) => read(statements, requestId, place)),
    watch: () => Effect.void,
    remove: (requestId) => removeAll(({ remove }) => remove.run(requestId))
  })
})

export const layerAt = (filename: string) => Layer.effect(ChunkStore, make(filename))

export const layer = Layer.unwrap(
  Effect.map(DataDirectory, (directory) => layerAt(path.join(directory, "output.sqlite")))
)
