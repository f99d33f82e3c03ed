/**
 * Detects that open files were removed or replaced. SQLite continues to write to the old files, and what it acknowledges
 * then is lost when the process ends.
 */
import * as fs from "node:fs"

const inodeOf = (filename: string): number | undefined =>
  fs.statSync(filename, { throwIfNoEntry: false })?.ino

/** Records the current inodes. The returned check gives the first name with another inode, or `undefined`. */
export const make = (filenames: ReadonlyArray<string>): (() => string | undefined) => {
  const inodes = new Map(filenames.map((filename) => [filename, inodeOf(filename)]))
  return () => filenames.find((filename) => inodeOf(filename) !== inodes.get(filename))
}
