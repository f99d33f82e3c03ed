/** Decides whether a file of read models is unusable, or a disk or another program is in the way. */
import * as fs from "node:fs"
import { ReadModelError } from "../ReadModelError.ts"
import { codeOf, describe } from "./Failure.ts"

/** SQLite's result codes (https://sqlite.org/rescode.html). */
const corrupt = 11
const notADatabase = 26
const shortRead = 522

/** Read-only and cannot open, which may be caused by the file. */
const unopened: ReadonlySet<number> = new Set([3, 8, 14])

/** Why the file must be rebuilt, as text for the log. `null` when a later try may succeed. */
export const of = (cause: unknown, filename: string): string | null => {
  if (cause instanceof ReadModelError) return of(cause.cause, filename)
  const code = codeOf(cause)
  if (code === undefined) return null
  const primary = code & 0xff
  const isDamage =
    primary === corrupt ||
    primary === notADatabase ||
    code === shortRead ||
    (unopened.has(primary) && !isUsable(filename))
  return isDamage ? describe(cause) : null
}

/** Whether the file does not exist, or may be read and written. */
const isUsable = (filename: string): boolean => {
  try {
    const found = fs.statSync(filename, { throwIfNoEntry: false })
    if (found === undefined) return true
    if (!found.isFile()) return false
    fs.accessSync(filename, fs.constants.R_OK | fs.constants.W_OK)
    return true
  } catch {
    return false
  }
}
