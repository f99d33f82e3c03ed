/** Classifies and describes what was thrown while an event was applied. */
import { Predicate } from "effect"

/**
 * SQLite result codes caused by the file, the disk or other programs and not by the event (https://sqlite.org/rescode.html):
 * busy, locked, out of memory, read-only, interrupted, I/O error, corrupt, full, cannot open, locking protocol, not a
 * database.
 */
const storageCodes: ReadonlySet<number> = new Set([5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 26])

export const isStorageFailure = (cause: unknown): boolean =>
  isSqliteFailure(cause) && storageCodes.has(cause.errcode & 0xff)

/**
 * A description for the log. Messages of decoders and of `JSON.parse` repeat their input, so only SQLite's messages are
 * used.
 */
export const describe = (cause: unknown): string => {
  if (isSqliteFailure(cause)) return cause.message
  return cause instanceof Error ? cause.name : "unknown"
}

/** SQLite's extended result code. */
export const codeOf = (cause: unknown): number | undefined =>
  isSqliteFailure(cause) ? cause.errcode : undefined

const isSqliteFailure = (cause: unknown): cause is Error & { readonly errcode: number } =>
  cause instanceof Error && Predicate.hasProperty(cause, "errcode") && typeof cause.errcode === "number"
