/**
 * One process owns a data directory. The lock is an exclusive transaction on an otherwise empty SQLite file: the
 * operating system drops it with the process, however that ends, so a `kill -9` never leaves a stale one.
 */
import { DatabaseSync } from "node:sqlite"
import { Effect, Schema, type Scope } from "effect"

/** Another process, usually the server, holds the data directory. */
export class DataDirectoryLocked extends Schema.TaggedError<DataDirectoryLocked>()("DataDirectoryLocked", {
  directory: Schema.String
}) {
  override get message(): string {
    return `Another inferlog process uses ${this.directory}`
  }
}

export const acquire = (directory: string): Effect.Effect<void, DataDirectoryLocked, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.suspend(() => {
      const db = new DatabaseSync(`${directory}/lock`, { timeout: 0 })
      try {
        db.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
        return Effect.succeed(db)
      } catch {
        db.close()
        return Effect.fail(new DataDirectoryLocked({ directory }))
      }
    }),
    (db) => Effect.sync(() => db.close())
  ).pipe(Effect.asVoid)
