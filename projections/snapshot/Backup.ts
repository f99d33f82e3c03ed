/** Copies the read models as of one moment while they are written. */
import { backup, type DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import * as Database from "#streams/sqlite/Database.ts"
import * as StoredCheckpoints from "../runner/StoredCheckpoints.ts"
import { SnapshotFileError } from "./SnapshotError.ts"

/**
 * Pages per step, about 4 MB. A pool thread copies each step in a few ms between turns of this thread. The finished copy is
 * synced and needs no journal.
 */
const pagesPerStep = 1_000

/**
 * Copies `source` to `target`, which must not exist, and returns the checkpoints in the copy. A read transaction freezes the
 * source: without it, SQLite restarts whenever another connection writes, and never finishes under load. Until it ends, the
 * source's journal only grows.
 */
export const make = (
  source: string,
  target: string
): Effect.Effect<StoredCheckpoints.StoredCheckpoints, SnapshotFileError> =>
  Effect.acquireUseRelease(
    attempt(() => Database.open({ filename: source, readOnly: true, synchronous: "NORMAL" })),
    (db) =>
      Effect.gen(function* () {
        yield* attempt(() => db.exec("BEGIN"))
        const checkpoints = yield* attempt(() => StoredCheckpoints.of(db))
        yield* copy(db, target)
        return checkpoints
      }),
    (db) => Effect.sync(() => db.close())
  )

/** An interruption takes effect after the current step. The connection must stay open until then. */
const copy = (db: DatabaseSync, target: string): Effect.Effect<void, SnapshotFileError> =>
  Effect.callback((resume) => {
    let isActive = true
    const copying = backup(db, target, {
      rate: pagesPerStep,
      progress: () => {
        if (!isActive) throw new Error("interrupted")
      }
    }).then(
      () => resume(Effect.void),
      (cause) => resume(Effect.fail(failure(cause)))
    )
    return Effect.promise(() => {
      isActive = false
      return copying
    })
  })

const failure = (cause: unknown) =>
  new SnapshotFileError({ reason: "The read models cannot be copied", cause })

const attempt = <A>(run: () => A): Effect.Effect<A, SnapshotFileError> =>
  Effect.try({ try: run, catch: failure })
