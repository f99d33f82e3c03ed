/** Classifies failed writes by their consequences (SQLite result codes, https://sqlite.org/rescode.html). */

/**
 * `constraint`: one append is at fault. `full`: the disk is full; the transaction is rolled back, and a later one may
 * succeed. `blocked`: the WAL takes no more until a checkpoint succeeds. `busy`: another program has locked the file.
 * `fatal`: the content of the disk is unknown.
 */
export type SqliteFailure = "constraint" | "full" | "blocked" | "busy" | "fatal"

export const reasons: Record<SqliteFailure, string> = {
  constraint: "The log rejected the append",
  full: "The disk is full",
  blocked: "log.sqlite cannot be written, and log.sqlite-wal has reached its limit",
  busy: "The log is locked by another program",
  fatal: "Writing the log failed; it takes no more appends until it is opened again"
}

/** A write that failed for another reason than `ENOSPC`. */
export const failedWrite = 778
/** Failed syncs of a file and of a directory. */
export const failedSyncs: ReadonlySet<number> = new Set([1_034, 1_290])

const primaryCodes: Record<number, SqliteFailure> = { 5: "busy", 6: "busy", 13: "full", 19: "constraint" }

/** The extended result code if SQLite threw the error. */
export const codeOf = (cause: unknown): number | undefined =>
  cause instanceof Error && "errcode" in cause && typeof cause.errcode === "number"
    ? cause.errcode
    : undefined

export const classify = (cause: unknown): SqliteFailure => {
  const code = codeOf(cause)
  return code === undefined ? "fatal" : (primaryCodes[code & 0xff] ?? "fatal")
}
