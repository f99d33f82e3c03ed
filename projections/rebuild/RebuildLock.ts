/**
 * Allows one rebuild at a time on a data directory. Like the directory's lock, it ends with its process, also after a crash.
 */
import { DatabaseSync } from "node:sqlite"
import * as path from "node:path"
import { Effect, type Scope } from "effect"
import * as DataLock from "#streams/DataLock.ts"
import * as SqliteFailure from "#streams/sqlite/SqliteFailure.ts"
import { ReadModelError } from "../ReadModelError.ts"
import { RebuildUnderWay } from "./RebuildError.ts"

const fileOf = (base: string) => path.join(path.dirname(base), "rebuild.lock")

/** How long to wait for the lock, ms: longer than `isHeld` can block it. */
const timeoutMs = 500

export const acquire = (base: string): Effect.Effect<void, RebuildUnderWay | ReadModelError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => DataLock.lock(fileOf(base), timeoutMs),
      catch: (cause) =>
        SqliteFailure.classify(cause) === "busy"
          ? new RebuildUnderWay()
          : new ReadModelError({ reason: `${fileOf(base)} cannot be locked`, cause })
    }),
    (db) => Effect.sync(() => db.close())
  ).pipe(Effect.asVoid)

/** Whether a rebuild is under way now. */
export const isHeld = (base: string): boolean => {
  try {
    using db = new DatabaseSync(fileOf(base), { readOnly: true, timeout: 0 })
    db.prepare("SELECT 1 FROM sqlite_schema").get()
    return false
  } catch (cause) {
    return SqliteFailure.classify(cause) === "busy"
  }
}
