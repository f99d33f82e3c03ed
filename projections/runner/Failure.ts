/** What went wrong while applying an event, and whether the event is to blame. */
import { Predicate } from "effect"

/**
 * SQLite result codes that say something of the file, the disk or other programs and nothing of the event
 * (https://sqlite.org/rescode.html): busy, locked, out of memory, read-only, interrupted, I/O error, corrupt, full, cannot
 * open, locking protocol, not a database.
 */
const storageCodes: ReadonlySet<number> = new Set([5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 26])

export const isStorageFailure = (cause: unknown): boolean =>
  isSqliteFailure(cause) && storageCodes.has(cause.errcode & 0xff)

/** Words for the log. Messages of decoders and of `JSON.parse` repeat what they read, so only SQLite's own are told. */
export const describe = (cause: unknown): string => {
  if (isSqliteFailure(cause)) return cause.message
  return cause instanceof Error ? cause.name : "unknown"
}

/** SQLite's extended result code. */
export const codeOf = (cause: unknown): number | undefined =>
  isSqliteFailure(cause) ? cause.errcode : undefined

const isSqliteFailure = (cause: unknown): cause is Error & { readonly errcode: number } =>
  cause instanceof Error && Predicate.hasProperty(cause, "errcode") && typeof cause.errcode === "number"
