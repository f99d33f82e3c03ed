/**
 * Lets one process own a data directory. The lock is an exclusive transaction on an otherwise empty SQLite file. The
 * operating system releases it when the process ends in any way, so a `kill -9` leaves no stale lock.
 */
import { DatabaseSync } from "node:sqlite"
import { Effect, Schema, type Scope } from "effect"
import { LogUnavailable } from "./LogUnavailable.ts"
import * as SqliteFailure from "./sqlite/SqliteFailure.ts"

/** Another process, usually the server, has locked the data directory. */
export class DataDirectoryLocked extends Schema.TaggedError<DataDirectoryLocked>()("DataDirectoryLocked", {
  directory: Schema.String
}) {
  override get message(): string {
    return `Another inferlog process uses ${this.directory}`
  }
}

export const acquire = (
  directory: string
): Effect.Effect<void, DataDirectoryLocked | LogUnavailable, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => lock(`${directory}/lock`),
      catch: (cause) =>
        SqliteFailure.classify(cause) === "busy"
          ? new DataDirectoryLocked({ directory })
          : new LogUnavailable({ reason: `${directory} cannot be used as a data directory`, cause })
    }),
    (db) => Effect.sync(() => db.close())
  ).pipe(Effect.asVoid)

/** Whether another process has locked the directory. The lock file must exist; it is only read. */
export const isHeld = (directory: string): Effect.Effect<boolean, LogUnavailable> =>
  Effect.try({
    try: () => isLocked(`${directory}/lock`),
    catch: (cause) => new LogUnavailable({ reason: `${directory} cannot be used as a data directory`, cause })
  })

const isLocked = (filename: string): boolean => {
  const db = new DatabaseSync(filename, { readOnly: true, timeout: 0 })
  try {
    db.prepare("SELECT count(*) FROM sqlite_schema").get()
    return false
  } catch (cause) {
    if (SqliteFailure.classify(cause) === "busy") return true
    throw cause
  } finally {
    db.close()
  }
}

/** Locks the file until it is closed. Throws at once, or after `timeoutMs`, when another process has locked it. */
export const lock = (filename: string, timeoutMs = 0): DatabaseSync => {
  const db = new DatabaseSync(filename, { timeout: timeoutMs })
  try {
    db.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
    return db
  } catch (cause) {
    db.close()
    throw cause
  }
}
