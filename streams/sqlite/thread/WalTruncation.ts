/**
 * Wipes erased texts from the disk. A commit that erases writes a page without the text (`secure_delete`) to the end of the
 * WAL. The text is still in `log.sqlite`, or earlier in `log.sqlite-wal`, until a checkpoint has copied the page and
 * truncated the WAL. SQLite's own checkpoints come late and do not truncate.
 */
import type { DatabaseSync } from "node:sqlite"
import * as Database from "../Database.ts"

export interface WalTruncation {
  /** Records that something was erased. */
  readonly owe: () => void
  readonly isOwed: () => boolean
  /**
   * Truncates the WAL if that is owed. It stays owed while another connection reads from the WAL. The content of the WAL is
   * synced into the database first, so no commit is lost. Throws what SQLite throws.
   */
  readonly settle: () => void
}

/** How long to wait for a reader, ms. Nothing is appended meanwhile. */
const readerTimeoutMs = 10

/** @param isOwed true at the start if the previous process may have been killed after an erasure. */
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
