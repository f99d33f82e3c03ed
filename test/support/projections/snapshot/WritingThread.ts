/** Another thread that writes a file continuously, each time two equal numbers spread over its pages. */
import { DatabaseSync } from "node:sqlite"
import { Worker } from "node:worker_threads"
import { Effect, Schema } from "effect"
import * as Checkpoints from "#projections/runner/Checkpoints.ts"
import * as Database from "#streams/sqlite/Database.ts"
import * as Until from "#test/support/Until.ts"

const rows = 20_000

/** A file of 25 MB with one projection, whose position is the number of the commit. */
export const prepare = (filename: string): void => {
  using db = Database.open({ filename, synchronous: "NORMAL" })
  Checkpoints.make(db)
  db.exec(`
    INSERT INTO checkpoints VALUES ('busy', 1, '0', '0', '');
    CREATE TABLE busy_rows (id INTEGER PRIMARY KEY, text TEXT NOT NULL, number INTEGER NOT NULL) STRICT;
    WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < ${rows})
    INSERT INTO busy_rows SELECT id, hex(zeroblob(600)), 0 FROM ids`)
}

/** The number in the first row, the last row and the checkpoint of a copy. */
export const commonNumber = (filename: string): number => {
  using db = new DatabaseSync(filename, { readOnly: true })
  const found = db
    .prepare(
      `SELECT group_concat(DISTINCT number) AS numbers FROM (
        SELECT number FROM busy_rows WHERE id IN (1, ${rows})
        UNION ALL SELECT CAST(position AS INTEGER) FROM checkpoints)`
    )
    .get()
  return Schema.decodeUnknownSync(Schema.Struct({ numbers: Schema.NumberFromString }))(found).numbers
}

const program = `
  const { DatabaseSync } = require("node:sqlite")
  const { workerData } = require("node:worker_threads")
  const db = new DatabaseSync(workerData.filename, { timeout: 5000 })
  db.exec("PRAGMA synchronous = NORMAL")
  const row = db.prepare("UPDATE busy_rows SET number = ? WHERE id IN (1, ${rows}, ?)")
  const checkpoint = db.prepare("UPDATE checkpoints SET position = ?")
  let number = 0
  const write = () => {
    db.exec("BEGIN IMMEDIATE")
    row.run(++number, 2 + (number * 7919) % ${rows - 2})
    checkpoint.run(String(number))
    db.exec("COMMIT")
    Atomics.store(workerData.written, 0, number)
    setImmediate(write)
  }
  write()`

/** Writes until the scope ends, and returns once it has begun. The result is the number of the last commit. */
export const start = Effect.fnUntraced(function* (filename: string) {
  const written = new Int32Array(new SharedArrayBuffer(4))
  yield* Effect.acquireRelease(
    Effect.sync(() => new Worker(program, { eval: true, workerData: { filename, written } })),
    (worker) => Effect.promise(() => worker.terminate())
  )
  const last = () => Atomics.load(written, 0)
  yield* Until.holds("a first write", () => last() > 0, last)
  return last
})
