/**
 * The current file of the read models: `projections.sqlite`, after the first rebuild `projections.1.sqlite`, and so on; the
 * highest number counts. A complete file gets its name in one rename, so a crash leaves one or the other. Names in use are
 * never reused, because SQLite finds a file's journal by name.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { syncDirectory } from "#streams/DirectorySync.ts"

/** `number` is 0 for `base` itself. */
interface Generation {
  readonly number: number
  readonly filename: string
}

/** The name of the first generation without `.sqlite`. */
const stemOf = (base: string) => base.replace(/\.sqlite$/, "")

const numbered = (base: string, number: number): string => `${stemOf(base)}.${number}.sqlite`

/** The file of the first generation in a data directory. */
export const baseIn = (directory: string): string => path.join(directory, "projections.sqlite")

/** The file in which a copy is built. */
export const copyOf = (base: string): string => `${stemOf(base)}.rebuild.sqlite`

/** All existing generations except the first. */
const later = (base: string): ReadonlyArray<Generation> => {
  const directory = path.dirname(base)
  const prefix = `${path.basename(stemOf(base))}.`
  if (!fs.existsSync(directory)) return []
  return fs.readdirSync(directory).flatMap((name) => {
    const [, number] = name.startsWith(prefix)
      ? (/^(\d{1,9})\.sqlite$/.exec(name.slice(prefix.length)) ?? [])
      : []
    return number === undefined ? [] : [{ number: Number(number), filename: path.join(directory, name) }]
  })
}

const newest = (base: string): Generation =>
  later(base).reduce((best, next) => (next.number > best.number ? next : best), { number: 0, filename: base })

/** The current file, which may not exist yet. */
export const current = (base: string): string => newest(base).filename

/** The file of the next generation, which may not exist. */
const next = (base: string): string => numbered(base, newest(base).number + 1)

/** The number of damaged files that are stored for inspection. */
const maxSetAside = 2

const setAsideName = (base: string, number: number): string => `${stemOf(base)}.damaged-${number}.sqlite`

/**
 * Renames the unusable file, which may be a directory, together with SQLite's files beside it, and returns the name of its
 * replacement. The name is new, so that readers of the old file open the new one. Only the last two damaged files stay.
 */
export const setAside = (base: string, filename: string): { readonly to: string; readonly next: string } => {
  const successor = next(base)
  const prefix = `${path.basename(stemOf(base))}.damaged-`
  const numbers = fs.readdirSync(path.dirname(base)).flatMap((name) => {
    const [, number] = name.startsWith(prefix)
      ? (/^(\d{1,9})\.sqlite$/.exec(name.slice(prefix.length)) ?? [])
      : []
    return number === undefined ? [] : [Number(number)]
  })
  const number = Math.max(0, ...numbers) + 1
  const to = setAsideName(base, number)
  for (const suffix of ["-wal", "-shm", "-journal", ""]) {
    if (fs.existsSync(filename + suffix)) fs.renameSync(filename + suffix, to + suffix)
  }
  for (const old of numbers.filter((old) => old <= number - maxSetAside)) {
    for (const suffix of ["", "-wal", "-shm", "-journal"]) {
      fs.rmSync(setAsideName(base, old) + suffix, { recursive: true, force: true })
    }
  }
  remove(successor)
  return { to, next: successor }
}

/** Makes the complete, closed and synced copy the current file and returns its name. */
export const promote = (base: string): string => {
  const filename = next(base)
  // SQLite would take a leftover journal of that name for the new file's.
  remove(filename)
  fs.renameSync(copyOf(base), filename)
  syncDirectory(path.dirname(base))
  return filename
}

/** Removes all generations except `current`. A file that cannot be removed now (Windows) is removed at the next start. */
export const removeOthers = (base: string, current: string): void => {
  for (const filename of [base, ...later(base).map(({ filename }) => filename)]) {
    if (path.resolve(filename) !== path.resolve(current)) remove(filename)
  }
}

/** Removes the file and SQLite's files beside it. */
export const remove = (filename: string): void => {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) {
    try {
      fs.rmSync(filename + suffix, { force: true })
    } catch {
      // In use by another program, or a directory.
    }
  }
}
