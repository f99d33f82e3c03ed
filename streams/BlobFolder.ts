/**
 * The directories of a `FileBlobStore`: created when a blob needs them, synced before the blob counts, removed with their
 * last blob.
 */
import * as NodeFs from "node:fs/promises"
import * as NodePath from "node:path"
import { Clock, Duration, Effect, FileSystem, Option } from "effect"
import type { PlatformError } from "effect/PlatformError"

/** Whether nothing exists at a path: no entry, or a file where a directory is needed. */
export const isMissing = (error: PlatformError): boolean =>
  error.reason._tag === "NotFound" || error.reason._tag === "BadResource"

const alreadyExists = (error: PlatformError): boolean => error.reason._tag === "AlreadyExists"

/** Windows cannot sync a directory. */
const canSyncDirectories = process.platform !== "win32"

/** Age after which a file of a shared folder counts as left by a dead node. */
const abandonedAfter = Duration.hours(1)

/** How often to recreate a directory that was pruned at the wrong moment. */
const retries = 5

export const make = Effect.fnUntraced(function* (root: string) {
  const fs = yield* FileSystem.FileSystem
  /** No key contains a `~`. */
  const incoming = NodePath.join(root, "~incoming")

  /** The directory of a blob, then each directory above it up to the root. */
  const directoriesOf = (key: string): ReadonlyArray<string> => {
    const names = key.split("/")
    return names.map((_, depth) => NodePath.join(root, ...names.slice(0, names.length - 1 - depth)))
  }

  const syncDirectory = (directory: string) =>
    canSyncDirectories
      ? fs.open(directory, { flag: "r" }).pipe(
          Effect.flatMap((handle) => handle.sync),
          Effect.scoped,
          // It was pruned with its last blob meanwhile.
          Effect.catchIf(isMissing, () => Effect.void)
        )
      : Effect.void

  /** Renames a synced file to the blob's path. Durable when it returns, including new directories. */
  const publish = Effect.fnUntraced(function* (file: string, key: string) {
    const [directory = root] = directoriesOf(key)
    yield* fs
      .makeDirectory(directory, { recursive: true, mode: 0o700 })
      .pipe(
        Effect.andThen(fs.rename(file, NodePath.join(root, key))),
        Effect.retry({ times: retries, while: (error) => error.reason._tag === "NotFound" })
      )
    yield* Effect.forEach(directoriesOf(key), syncDirectory, { discard: true })
  })

  /**
   * Links a synced file to the blob's path; the file stays. Returns `false` without a change when the path is taken. What is
   * at the path is durable when this returns, in both cases.
   */
  const publishNew = Effect.fnUntraced(function* (file: string, key: string) {
    const [directory = root] = directoriesOf(key)
    const isNew = yield* fs.makeDirectory(directory, { recursive: true, mode: 0o700 }).pipe(
      Effect.andThen(fs.link(file, NodePath.join(root, key))),
      Effect.as(true),
      Effect.retry({ times: retries, while: (error) => error.reason._tag === "NotFound" }),
      Effect.catchIf(alreadyExists, () => Effect.succeed(false))
    )
    yield* Effect.forEach(directoriesOf(key), syncDirectory, { discard: true })
    return isNew
  })

  /** Removes a blob and directories that are empty then. Durable when it returns. */
  const retract = Effect.fnUntraced(function* (key: string) {
    const directories = directoriesOf(key)
    yield* fs.remove(NodePath.join(root, key))
    yield* syncDirectory(directories[0] ?? root)
    const emptied = directories.slice(0, -1)
    yield* Effect.ignore(
      Effect.forEach(emptied, (directory) => Effect.tryPromise(() => NodeFs.rmdir(directory)), {
        discard: true
      })
    )
  })

  const isAbandoned = Effect.fnUntraced(function* (file: string) {
    const now = yield* Clock.currentTimeMillis
    const { mtime } = yield* fs.stat(file)
    return Option.exists(mtime, (time) => now - time.getTime() > Duration.toMillis(abandonedAfter))
  })

  /** Removes files of writers that ended before publishing them. */
  const sweep = Effect.fnUntraced(function* (isShared: boolean) {
    const names = yield* fs.readDirectory(incoming)
    yield* Effect.forEach(
      names.map((name) => NodePath.join(incoming, name)),
      (file) =>
        (isShared ? Effect.when(fs.remove(file), isAbandoned(file)) : fs.remove(file)).pipe(
          Effect.catchIf(isMissing, () => Effect.void)
        ),
      { discard: true }
    )
  })

  const makeIncoming = fs.makeDirectory(incoming, { recursive: true, mode: 0o700 })

  /** Creates a file in `incoming`. Recreates the directory if it was removed while the server runs. */
  const create = (file: string) => {
    const open = fs.open(file, { flag: "wx", mode: 0o600 })
    return Effect.catchIf(open, isMissing, () => Effect.andThen(makeIncoming, open))
  }

  yield* makeIncoming
  return { incoming, create, publish, publishNew, retract, sweep }
})
