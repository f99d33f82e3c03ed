/**
 * Takes erased texts off the disk. A commit that erases writes the page without the text (`secure_delete`) behind the older
 * ones in the WAL: the text is still in `log.sqlite`, or earlier in `log.sqlite-wal`, until a checkpoint has copied the
 * page over, and has cut the WAL. SQLite's own checkpoints come late and cut nothing.
 */
import type { DatabaseSync } from "node:sqlite"
import * as Database from "../Database.ts"

export interface WalTruncation {
  /** Something was erased. */
  readonly owe: () => void
  readonly isOwed: () => boolean
  /**
   * Cuts the WAL if that is owed; it stays owed while another connection reads from the WAL. What is in the WAL is synced
   * into the database first: nothing committed is lost. Throws what SQLite throws.
   */
  readonly settle: () => void
}

/** How long it waits for a reader: nothing is appended meanwhile. */
const readerTimeoutMs = 10

/** @param isOwed from the start: the process before may have been killed after it erased something. */
export const make = (db: DatabaseSync, isOwed = true): WalTruncation => {
  const checkpoint = db.prepare("PRAGMA wal_checkpoint(TRUNCATE)")
  return {
    owe: () => {
      isOwed = true
    },
    isOwed: () => isOwed,
    settle: () => {
      if (!isOwed) return
      Database.setBusyTimeout(db, readerTimeoutMs)
      try {
        isOwed = checkpoint.get()?.["busy"] !== 0
      } finally {
        Database.setBusyTimeout(db)
      }
    }
  }
}
