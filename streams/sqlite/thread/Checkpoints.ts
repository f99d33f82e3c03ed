/**
 * Copies the WAL into the database after commits were acknowledged. SQLite's automatic checkpoints do not report failures,
 * and the WAL would grow until the disk is full.
 */
import * as fs from "node:fs"
import type { DatabaseSync } from "node:sqlite"
import type { Wal } from "../../WalObserver.ts"
import * as SqliteFailure from "../SqliteFailure.ts"

export interface Checkpoints {
  /** Runs after a commit. Throws errors after which the state of the database is unknown. */
  readonly afterCommit: () => void
  /** Tries again while checkpoints fail. Throws like `afterCommit`. */
  readonly retry: () => void
  /** Whether checkpoints fail and the WAL has reached its limit. */
  readonly isExhausted: () => boolean
  readonly wal: () => Wal
}

/** Pages in the WAL that trigger a checkpoint: SQLite's default. */
const triggerPages = 1_000

/** The limit of the WAL while checkpoints fail. Above it, a blocking reader is reported. */
const maxBytes = 64 * 1_024 * 1_024

/** Pages of the WAL, and how many of them are in the database. */
interface Extent {
  readonly log: number
  readonly copied: number
}

const extentOf = (row: Record<string, unknown> | undefined): Extent => ({
  // -1 while another connection runs a checkpoint.
  log: Math.max(0, Number(row?.["log"] ?? 0)),
  copied: Math.max(0, Number(row?.["checkpointed"] ?? 0))
})

/**
 * Whether the next checkpoint can repair the failure. After a failed read or write, the pages are still in the WAL. After a
 * failed sync, pages may be lost even if a later sync succeeds.
 */
export const isHarmless = (cause: unknown): boolean => {
  const failure = SqliteFailure.classify(cause)
  if (failure === "full" || failure === "busy") return true
  const code = SqliteFailure.codeOf(cause)
  return code !== undefined && (code & 0xff) === 10 && !SqliteFailure.failedSyncs.has(code)
}

export const make = (db: DatabaseSync, filename: string): Checkpoints => {
  // Limits the file again after a reader or a fault is gone.
  db.exec(`PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = ${maxBytes}`)
  const inspect = db.prepare("PRAGMA wal_checkpoint(NOOP)")
  const passive = db.prepare("PRAGMA wal_checkpoint(PASSIVE)")
  const pageBytes = Number(db.prepare("PRAGMA page_size").get()?.["page_size"])
  let fault: string | undefined
  let extent: Extent = { log: 0, copied: 0 }
  /** Pages of the WAL at the last checkpoint. */
  let lastTried = 0

  const run = () => {
    lastTried = extent.log
    try {
      extent = extentOf(passive.get())
      fault = undefined
    } catch (cause) {
      if (!isHarmless(cause)) throw cause
      fault = `${cause instanceof Error ? cause.message : "unknown"}, SQLite ${SqliteFailure.codeOf(cause)}`
    }
  }

  const waitingBytes = () => (extent.log - extent.copied) * pageBytes

  return {
    afterCommit: () => {
      extent = extentOf(inspect.get())
      // The WAL was restarted.
      if (extent.log < lastTried) lastTried = 0
      if (extent.log - lastTried >= triggerPages) run()
    },
    retry: () => {
      if (fault !== undefined) run()
    },
    isExhausted: () => fault !== undefined && waitingBytes() > maxBytes,
    wal: () => ({
      bytes: fs.statSync(`${filename}-wal`, { throwIfNoEntry: false })?.size ?? 0,
      ...(fault === undefined ? {} : { fault }),
      isBlocked: fault === undefined && extent.log * pageBytes > maxBytes
    })
  }
}
