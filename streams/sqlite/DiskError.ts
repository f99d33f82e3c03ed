/**
 * Finds the system error behind a failed write of SQLite. SQLite does not report the errno, and reports an exceeded quota
 * like any other failed write, so this module tries a write of its own.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import * as Errno from "../Errno.ts"
import * as SqliteFailure from "./SqliteFailure.ts"

/** Bytes per write. */
const chunk = Buffer.alloc(64 * 1_024, 1)

/** The most bytes to try. */
const maxBytes = 64 * 1_024 * 1_024

const attempt = (work: () => void): string | undefined => {
  try {
    work()
    return undefined
  } catch (cause) {
    return Errno.nameOf(cause) ?? "unknown"
  }
}

/**
 * The errno of writing a new file of that size next to `filename`, which is removed again. `undefined` when it can be
 * written.
 */
const errnoBeside = (filename: string, bytes: number): string | undefined => {
  const trial = path.join(path.dirname(filename), `room-${process.pid}.tmp`)
  const failed = attempt(() => {
    const fd = fs.openSync(trial, "w", 0o600)
    try {
      for (let left = Math.min(bytes, maxBytes); left > 0; left -= chunk.length) fs.writeSync(fd, chunk)
      // On a network file system, an exceeded quota appears here.
      fs.fsyncSync(fd)
    } finally {
      fs.closeSync(fd)
    }
  })
  attempt(() => fs.rmSync(trial, { force: true }))
  return failed
}

/**
 * Rewrites the first bytes of a file unchanged. The descriptor stays open: closing it would release SQLite's locks on the
 * file (https://sqlite.org/howtocorrupt.html, 2.2).
 */
const errnoOn = (filename: string, isSynced: boolean): string | undefined =>
  attempt(() => {
    if (!fs.existsSync(filename)) return
    const fd = fs.openSync(filename, "r+")
    const start = Buffer.alloc(16)
    const length = fs.readSync(fd, start, 0, start.length, 0)
    fs.writeSync(fd, start, 0, length, 0)
    if (isSynced) fs.fdatasyncSync(fd)
  })

/**
 * Like `SqliteFailure.classify`, but a write that failed because of a quota is also `full`.
 *
 * @param bytes approximate size of the failed transaction.
 */
export const classify = (cause: unknown, filename: string, bytes: number): SqliteFailure.SqliteFailure => {
  const failure = SqliteFailure.classify(cause)
  if (SqliteFailure.codeOf(cause) !== SqliteFailure.failedWrite) return failure
  const errno = errnoBeside(filename, 2 * bytes + chunk.length)
  return errno === "EDQUOT" || errno === "ENOSPC" ? "full" : failure
}

/** Describes a fatal failure: SQLite's code, the file and the errno, as far as known. */
export const describe = (cause: unknown, filename: string): string => {
  const code = SqliteFailure.codeOf(cause)
  if (code === undefined) {
    const file = cause instanceof Error && "path" in cause ? ` ${String(cause.path)}` : ""
    return `${Errno.nameOf(cause) ?? (cause instanceof Error ? cause.message : "unknown")}${file}`
  }
  const isSynced = SqliteFailure.failedSyncs.has(code)
  for (const file of [`${filename}-wal`, filename]) {
    const errno = errnoOn(file, isSynced)
    if (errno !== undefined) return `${errno} ${file}, SQLite ${code}`
  }
  const errno = errnoBeside(filename, chunk.length)
  const text = cause instanceof Error ? cause.message : ""
  return errno === undefined
    ? `${text} ${filename}, SQLite ${code}`
    : `${errno} ${path.dirname(filename)}, SQLite ${code}`
}
