/** Opens SQLite files, and fails when the build or its settings would not keep acknowledged data. */
import { DatabaseSync } from "node:sqlite"

/** Before 3.51.3, a WAL reset could lose commits when two connections were open. */
const oldestSqlite = [3, 51, 3] as const

/** How long a connection, and with it its thread, waits for another connection's lock. */
const defaultBusyTimeoutMs = 5_000

export interface OpenOptions {
  readonly filename: string
  readonly readOnly?: boolean
  /**
   * `FULL`: a commit is on disk when it returns. `NORMAL`: a power cut may lose the last commits, but never parts of one.
   */
  readonly synchronous: "FULL" | "NORMAL"
  /** Whether a new file gives unused pages back to the disk on demand (`incremental_vacuum`). */
  readonly canShrink?: boolean
  /** How long to wait for another connection's lock, ms. Default 5,000. */
  readonly busyTimeoutMs?: number
}

/**
 * Opens a connection in WAL mode. A writing connection overwrites deleted data with zeros, so that erased data cannot be
 * read from the file. Throws when the file cannot be opened or a setting has no effect.
 */
export const open = ({
  busyTimeoutMs = defaultBusyTimeoutMs,
  canShrink = false,
  filename,
  readOnly = false,
  synchronous
}: OpenOptions): DatabaseSync => {
  const db = new DatabaseSync(filename, { readOnly, timeout: busyTimeoutMs })
  try {
    assertVersion(db)
    if (!readOnly) {
      // Only before anything is written, and the next pragma writes.
      if (canShrink) db.exec("PRAGMA auto_vacuum = INCREMENTAL")
      assertPragma(db, "journal_mode", "WAL", filename === ":memory:" ? "memory" : "wal")
      assertPragma(db, "synchronous", synchronous, synchronous === "FULL" ? 2 : 1)
      assertPragma(db, "secure_delete", "ON", 1)
    }
    return db
  } catch (cause) {
    db.close()
    throw cause
  }
}

/** Sets how long the connection waits for another connection's lock, ms. */
export const setBusyTimeout = (db: DatabaseSync, timeoutMs = defaultBusyTimeoutMs): void =>
  db.exec(`PRAGMA busy_timeout = ${timeoutMs}`)

const pragma = (db: DatabaseSync, name: string) => Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0]

const assertPragma = (db: DatabaseSync, name: string, value: string, expected: string | number) => {
  db.exec(`PRAGMA ${name} = ${value}`)
  const found = pragma(db, name)
  if (found !== expected) throw new Error(`SQLite has ${name} = ${found}; expected ${expected}`)
}

const assertVersion = (db: DatabaseSync) => {
  const version = String(Object.values(db.prepare("SELECT sqlite_version()").get() ?? {})[0])
  const parts = version.split(".").map(Number)
  for (const [index, wanted] of oldestSqlite.entries()) {
    const part = parts[index] ?? 0
    if (part > wanted) return
    if (part < wanted)
      throw new Error(`SQLite ${version} is too old; expected at least ${oldestSqlite.join(".")}`)
  }
}
