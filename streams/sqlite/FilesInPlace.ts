/**
 * Whether the files that a process has open are still the ones that bear their names. SQLite goes on writing into files
 * that were removed or replaced under it, and what it acknowledges then is gone with the process.
 */
import * as fs from "node:fs"

const inodeOf = (filename: string): number | undefined =>
  fs.statSync(filename, { throwIfNoEntry: false })?.ino

/** Remembers what the names stand for now; the check gives the first name that stands for something else, or nothing. */
export const make = (filenames: ReadonlyArray<string>): (() => string | undefined) => {
  const inodes = new Map(filenames.map((filename) => [filename, inodeOf(filename)]))
  return () => filenames.find((filename) => inodeOf(filename) !== inodes.get(filename))
}
