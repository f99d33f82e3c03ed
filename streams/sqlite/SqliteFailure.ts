/** What a failed write means for those that follow (SQLite result codes, https://sqlite.org/rescode.html). */

/**
 * `constraint`: one append is at fault. `full`: the disk has no room; the transaction is undone and a later one may
 * succeed. `held`: the WAL takes no more until a checkpoint succeeds. `busy`: another program holds the file. `fatal`: what is on disk is not known any more.
 */
export type SqliteFailure = "constraint" | "full" | "blocked" | "busy" | "fatal"

export const reasons: Record<SqliteFailure, string> = {
  constraint: "The log refused the append",
  full: "The disk is full",
  blocked: "log.sqlite cannot be written, and log.sqlite-wal has grown to its bound",
  busy: "The log is locked by another program",
  fatal: "Writing the log failed; it takes no more appends until it is opened again"
}

/** A write that the system refused for another reason than `ENOSPC`. */
export const failedWrite = 778
/** Syncs that failed, of a file and of a directory. */
export const failedSyncs: ReadonlySet<number> = new Set([1_034, 1_290])

const primaryCodes: Record<number, SqliteFailure> = { 5: "busy", 6: "busy", 13: "full", 19: "constraint" }

/** The extended result code, if SQLite threw it. */
export const codeOf = (cause: unknown): number | undefined =>
  cause instanceof Error && "errcode" in cause && typeof cause.errcode === "number"
    ? cause.errcode
    : undefined

export const classify = (cause: unknown): SqliteFailure => {
  const code = codeOf(cause)
  return code === undefined ? "fatal" : (primaryCodes[code & 0xff] ?? "fatal")
}
