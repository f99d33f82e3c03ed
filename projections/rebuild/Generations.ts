/**
 * Which file holds the read models: `projections.sqlite`, after the first rebuild `projections.1.sqlite`, and so on. The
 * highest number counts. A file gets its name by one rename when it is whole, so that a crash leaves the one or the other,
 * and never the name of a file that is in use: SQLite finds a file's journal by its name.
 */
import * as fs from "node:fs"
import * as path from "node:path"

/** `number` is 0 for `base` itself. */
interface Generation {
  readonly number: number
  readonly filename: string
}

/** Of the first generation, without `.sqlite`. */
const stemOf = (base: string) => base.replace(/\.sqlite$/, "")

const numbered = (base: string, number: number): string => `${stemOf(base)}.${number}.sqlite`

/** The file of the first generation in a data directory. */
export const baseIn = (directory: string): string => path.join(directory, "projections.sqlite")

/** Where a copy is built. */
export const copyOf = (base: string): string => `${stemOf(base)}.rebuild.sqlite`

/** All there are but the first. */
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

/** The file to read and write; it need not be there. */
export const current = (base: string): string => newest(base).filename

/** The file of the next generation, which need not be there. */
const next = (base: string): string => numbered(base, newest(base).number + 1)

/** Files that were set aside and are kept, for who wants to know what became of them. */
const mostSetAside = 2

const setAsideName = (base: string, number: number): string => `${stemOf(base)}.damaged-${number}.sqlite`

/**
 * Gives the unusable file, a directory maybe, another name with all that SQLite keeps beside it, and returns the name of
 * the file to build in its place: another one, so that readers of the old one open it. Only the last two are kept.
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
  for (const old of numbers.filter((old) => old <= number - mostSetAside)) {
    for (const suffix of ["", "-wal", "-shm", "-journal"]) {
      fs.rmSync(setAsideName(base, old) + suffix, { recursive: true, force: true })
    }
  }
  remove(successor)
  return { to, next: successor }
}

/** Makes the whole, closed and synced copy the current file, and returns its name. */
export const promote = (base: string): string => {
  const filename = next(base)
  // The journal of a file that somebody has removed would be taken for this one's.
  remove(filename)
  fs.renameSync(copyOf(base), filename)
  syncDirectory(path.dirname(base))
  return filename
}

/** Removes the files of generations that are not `kept`. One that cannot be removed now (Windows) is at the next start. */
export const removeOthers = (base: string, kept: string): void => {
  for (const filename of [base, ...later(base).map(({ filename }) => filename)]) {
    if (path.resolve(filename) !== path.resolve(kept)) remove(filename)
  }
}

/** The file and what SQLite keeps beside it. */
export const remove = (filename: string): void => {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) {
    try {
      fs.rmSync(filename + suffix, { force: true })
    } catch {
      // In use by another program, or a directory: not ours to force.
    }
  }
}

/** Until then a power cut may undo a rename. Windows cannot, and need not, sync a directory. */
const syncDirectory = (directory: string): void => {
  if (process.platform === "win32") return
  const descriptor = fs.openSync(directory, "r")
  try {
    fs.fsyncSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}
