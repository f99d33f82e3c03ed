/**
 * Copies what is in the WAL into the database, after commits were acknowledged. SQLite does that too, but says nothing when
 * it fails: the WAL then grows until the disk is full.
 */
import * as fs from "node:fs"
import type { DatabaseSync } from "node:sqlite"
import type { Wal } from "../../WalObserver.ts"
import * as SqliteFailure from "../SqliteFailure.ts"

export interface Checkpoints {
  /** After a commit. Throws what leaves the database in a state that is not known. */
  readonly afterCommit: () => void
  /** As long as checkpoints fail: tries again. Throws as `afterCommit`. */
  readonly retry: () => void
  /** Checkpoints fail, and the WAL has grown so much that it must not take more. */
  readonly isExhausted: () => boolean
  readonly wal: () => Wal
}

/** Pages in the WAL from which on it is copied, as SQLite has it. */
const fromPages = 1_000

/** What the WAL may hold while checkpoints fail, and from which on a reader that holds it up is told of. */
const mostBytes = 64 * 1_024 * 1_024

/** Pages of the WAL, and those of them that are in the database. */
interface Extent {
  readonly log: number
  readonly copied: number
}

const extentOf = (row: Record<string, unknown> | undefined): Extent => ({
  // -1 while another connection copies.
  log: Math.max(0, Number(row?.["log"] ?? 0)),
  copied: Math.max(0, Number(row?.["checkpointed"] ?? 0))
})

/**
 * A write or read that failed leaves the pages in the WAL, and the next checkpoint copies them. Not so a sync: pages that
 * could not be synced may be lost although a later one succeeds.
 */
export const isHarmless = (cause: unknown): boolean => {
  const failure = SqliteFailure.classify(cause)
  if (failure === "full" || failure === "busy") return true
  const code = SqliteFailure.codeOf(cause)
  return code !== undefined && (code & 0xff) === 10 && !SqliteFailure.failedSyncs.has(code)
}

export const make = (db: DatabaseSync, filename: string): Checkpoints => {
  // Once a reader or a fault is gone, the file does not stay as large as it became.
  db.exec(`PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = ${mostBytes}`)
  const look = db.prepare("PRAGMA wal_checkpoint(NOOP)")
  const passive = db.prepare("PRAGMA wal_checkpoint(PASSIVE)")
  const pageBytes = Number(db.prepare("PRAGMA page_size").get()?.["page_size"])
  let fault: string | undefined
  let extent: Extent = { log: 0, copied: 0 }
  /** Pages of the WAL at the last try. */
  let tried = 0

  const run = () => {
    tried = extent.log
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
      extent = extentOf(look.get())
      // It was begun anew.
      if (extent.log < tried) tried = 0
      if (extent.log - tried >= fromPages) run()
    },
    retry: () => {
      if (fault !== undefined) run()
    },
    isExhausted: () => fault !== undefined && waitingBytes() > mostBytes,
    wal: () => ({
      bytes: fs.statSync(`${filename}-wal`, { throwIfNoEntry: false })?.size ?? 0,
      ...(fault === undefined ? {} : { fault }),
      isBlocked: fault === undefined && extent.log * pageBytes > mostBytes
    })
  }
}
