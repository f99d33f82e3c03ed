/** What a failed write means for those that follow (SQLite result codes, https://sqlite.org/rescode.html). */
import { Predicate } from "effect"

/**
 * `constraint`: one append is at fault. `full`: the disk has no room; the transaction is undone and a later one may
 * succeed. `busy`: another program holds the file. `fatal`: what is on disk is not known any more.
 */
export type SqliteFailure = "constraint" | "full" | "busy" | "fatal"

export const reasons: Record<SqliteFailure, string> = {
  constraint: "The log refused the append",
  full: "The disk is full",
  busy: "The log is locked by another program",
  fatal: "Writing the log failed; it takes no more appends until it is opened again"
}

const primaryCodes: Record<number, SqliteFailure> = { 5: "busy", 6: "busy", 13: "full", 19: "constraint" }

export const classify = (cause: unknown): SqliteFailure =>
  Predicate.hasProperty(cause, "errcode") && typeof cause.errcode === "number"
    ? (primaryCodes[cause.errcode & 0xff] ?? "fatal")
    : "fatal"
