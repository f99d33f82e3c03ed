/** Opens SQLite files, and refuses to when the build or its settings would not keep what is acknowledged. */
import { DatabaseSync } from "node:sqlite"

/** Before 3.51.3 a WAL reset could lose commits when two connections were open. */
const oldestSqlite = [3, 51, 3] as const

/** How long a connection waits for another one's lock, and with it its whole thread. */
const usualBusyTimeoutMs = 5_000

export interface OpenOptions {
  readonly filename: string
  readonly readOnly?: boolean
  /** `FULL`: a commit is on disk when it returns. `NORMAL`: a power cut may lose the last ones, never tear them. */
  readonly synchronous: "FULL" | "NORMAL"
  /** How long it waits for another connection's lock, ms: 5,000 by default. */
  readonly busyTimeoutMs?: number
}

/**
 * A connection in WAL mode. One that writes overwrites what it deletes with zeros: what was erased is not to be read from
 * the file. Throws when the file cannot be opened or a setting did not take.
 */
export const open = ({
  busyTimeoutMs = usualBusyTimeoutMs,
  filename,
  readOnly = false,
  synchronous
}: OpenOptions): DatabaseSync => {
  const db = new DatabaseSync(filename, { readOnly, timeout: busyTimeoutMs })
  try {
    assertVersion(db)
    if (!readOnly) {
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

/** How long the connection waits for another one's lock, ms; by default as one does that was opened without saying so. */
export const setBusyTimeout = (db: DatabaseSync, timeoutMs = usualBusyTimeoutMs): void =>
  db.exec(`PRAGMA busy_timeout = ${timeoutMs}`)

const pragma = (db: DatabaseSync, name: string) => Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0]

const assertPragma = (db: DatabaseSync, name: string, value: string, expected: string | number) => {
  db.exec(`PRAGMA ${name} = ${value}`)
  const found = pragma(db, name)
  if (found !== expected) throw new Error(`SQLite kept ${name} = ${found}; expected ${expected}`)
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
