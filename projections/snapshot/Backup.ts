/** A copy of the read models as of one moment, made while they are written. */
import { backup, type DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import * as Database from "#streams/sqlite/Database.ts"
import * as StoredCheckpoints from "../runner/StoredCheckpoints.ts"
import { SnapshotFileError } from "./SnapshotError.ts"

/**
 * Copied by a thread of the pool between two turns of this one: some 4 MB, a few ms each. In the end the copy is synced,
 * and it is whole without a journal.
 */
const pagesPerStep = 1_000

/**
 * Copies `source` to `target`, which must not be there, and says where the projections stand in the copy. The read
 * transaction keeps the source as it is from the first page to the last: without it SQLite begins anew whenever another
 * connection has written, and under load never comes to an end. Until it is over the source's journal only grows.
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

/** When it is interrupted it ends after the step that is under way: nobody may close the connection before. */
const copy = (db: DatabaseSync, target: string): Effect.Effect<void, SnapshotFileError> =>
  Effect.callback((resume) => {
    let isWanted = true
    const copying = backup(db, target, {
      rate: pagesPerStep,
      progress: () => {
        if (!isWanted) throw new Error("interrupted")
      }
    }).then(
      () => resume(Effect.void),
      (cause) => resume(Effect.fail(failure(cause)))
    )
    return Effect.promise(() => {
      isWanted = false
      return copying
    })
  })

const failure = (cause: unknown) =>
  new SnapshotFileError({ reason: "The read models cannot be copied", cause })

const attempt = <A>(run: () => A): Effect.Effect<A, SnapshotFileError> =>
  Effect.try({ try: run, catch: failure })
