/**
 * Restricts the files in `DATA_DIR` to their owner: the master key, the log with hashes of keys, read models and
 * sign-ins. At start, files that others may read (copied, restored, or created under another umask) are restricted
 * with a warning.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Schema } from "effect"

/** Others can read or write the file, and its mode cannot be changed: it belongs to another user. */
export class FileOpenToOthers extends Schema.TaggedError<FileOpenToOthers>()("FileOpenToOthers", {
  file: Schema.String,
  mode: Schema.String
}) {
  override get message(): string {
    return (
      `DATA_DIR: every user of this machine can read or write ${this.file} (mode ${this.mode}), and this process cannot ` +
      `change that: run chmod 600 on it as its owner`
    )
  }
}

/** Names of the server's own files. Other files in the directory are not changed. */
const ours =
  /^(log\.(sqlite|head)|projections\b|oauth\.sqlite|master\.key|lock\b|rebuild\.lock|release\b|backup\.json|blobs$|archive(-cache)?$|checkpoints$|tmp$|admin\.sock)/

const ofOthers = 0o077
const ofEverybody = 0o007

const modeOf = (mode: number) => (mode & 0o777).toString(8)

interface Loose {
  readonly file: string
  readonly mode: number
  readonly isDirectory: boolean
}

interface Survey {
  /** Files that other users can access. */
  readonly loose: ReadonlyArray<Loose>
  readonly owners: ReadonlyArray<{ readonly file: string; readonly uid: number }>
}

/** Whether every user of this machine can read or write a file of this mode. */
export const isForEverybody = (mode: number): boolean => (mode & ofEverybody) !== 0

/** Reads owners and modes of the server's own files, and changes nothing. */
export const survey = (directory: string): Survey => {
  const names = fs.readdirSync(directory)
  const files = names.filter((name) => ours.test(name)).map((name) => path.join(directory, name))
  // Restricting a directory that contains other things would lock out their owners.
  const isOurs = files.length > 0 && files.length === names.length
  const found = [...(isOurs ? [directory] : []), ...files].flatMap((file) => {
    // A running server removes files.
    const stat = fs.lstatSync(file, { throwIfNoEntry: false })
    return stat === undefined ? [] : [{ file, stat }]
  })
  return {
    loose: found.flatMap(({ file, stat }) => {
      const isLoose = !stat.isSymbolicLink() && (stat.mode & ofOthers) !== 0
      return isLoose ? [{ file, mode: stat.mode, isDirectory: stat.isDirectory() }] : []
    }),
    owners: found.map(({ file, stat }) => ({ file, uid: stat.uid }))
  }
}

const close = ({ file, mode }: Loose): boolean => {
  try {
    fs.chmodSync(file, mode & 0o700)
    return true
  } catch {
    return false
  }
}

/**
 * Restricts files that are open to others. Fails when a file stays readable or writable by everybody. A directory
 * that cannot be restricted only causes a warning: orchestrators mount volumes that way, and the files in it are
 * restricted.
 */
export const check = Effect.fnUntraced(function* (directory: string) {
  if (process.platform === "win32") return
  const loose = yield* Effect.sync(() => survey(directory).loose)
  for (const found of loose) {
    const { file, isDirectory, mode } = found
    if (close(found)) {
      yield* Effect.logWarning(
        `${file} was open to other users (mode ${modeOf(mode)}): access is now restricted to its owner`
      )
    } else if (!isDirectory && isForEverybody(mode)) {
      return yield* new FileOpenToOthers({ file, mode: modeOf(mode) })
    } else {
      yield* Effect.logWarning(
        `${file} is open to other users (mode ${modeOf(mode)}) and its access cannot be restricted`
      )
    }
  }
})
