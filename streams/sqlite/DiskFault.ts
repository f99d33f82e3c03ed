/**
 * What the system says of a disk on which SQLite failed to write. SQLite keeps the errno to itself, and reports an exceeded
 * quota as any other failed write. So a write of our own is tried.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import * as Errno from "../Errno.ts"
import * as SqliteFailure from "./SqliteFailure.ts"

/** Bytes written at a time. */
const chunk = Buffer.alloc(64 * 1_024, 1)

/** Bytes tried at most. */
const mostBytes = 64 * 1_024 * 1_024

const attempt = (work: () => void): string | undefined => {
  try {
    work()
    return undefined
  } catch (cause) {
    return Errno.nameOf(cause) ?? "unknown"
  }
}

/** The errno of a new file of that size beside `filename`, which is removed again; `undefined` when it can be written. */
const errnoBeside = (filename: string, bytes: number): string | undefined => {
  const trial = path.join(path.dirname(filename), `room-${process.pid}.tmp`)
  const failed = attempt(() => {
    const fd = fs.openSync(trial, "w", 0o600)
    try {
      for (let left = Math.min(bytes, mostBytes); left > 0; left -= chunk.length) fs.writeSync(fd, chunk)
      // Where files lie on a server the quota is noticed here.
      fs.fsyncSync(fd)
    } finally {
      fs.closeSync(fd)
    }
  })
  attempt(() => fs.rmSync(trial, { force: true }))
  return failed
}

/**
 * Writes the first bytes of a file once more, as they are. The descriptor stays open: closing it would release the locks
 * that SQLite has on the file (https://sqlite.org/howtocorrupt.html, 2.2).
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
 * As `SqliteFailure.classify`, but a write that failed for a quota is `full` too.
 *
 * @param bytes that the failed transaction was to write, about.
 */
export const classify = (cause: unknown, filename: string, bytes: number): SqliteFailure.SqliteFailure => {
  const failure = SqliteFailure.classify(cause)
  if (SqliteFailure.codeOf(cause) !== SqliteFailure.failedWrite) return failure
  const errno = errnoBeside(filename, 2 * bytes + chunk.length)
  return errno === "EDQUOT" || errno === "ENOSPC" ? "full" : failure
}

/** What failed for good, in words: SQLite's code, the file and the errno, as far as they can be found out. */
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
