/** The directories of a `FileBlobStore`: made when a blob needs them, durable before it counts, gone with the last one. */
import * as NodeFs from "node:fs/promises"
import * as NodePath from "node:path"
import { Clock, Duration, Effect, FileSystem, Option } from "effect"
import type { PlatformError } from "effect/PlatformError"

/** Whether there is nothing at a path: no entry, or a file where a directory would have to be. */
export const isMissing = (error: PlatformError): boolean =>
  error.reason._tag === "NotFound" || error.reason._tag === "BadResource"

const isTaken = (error: PlatformError): boolean => error.reason._tag === "AlreadyExists"

/** A directory has no handle to sync on Windows. */
const canSyncDirectories = process.platform !== "win32"

/** Other nodes write into a shared folder: what has not grown for so long is left over from a dead one. */
const abandonedAfter = Duration.hours(1)

/** How often a directory that was pruned at the wrong moment is made again. */
const retries = 5

export const make = Effect.fnUntraced(function* (root: string) {
  const fs = yield* FileSystem.FileSystem
  /** No key contains a `~`. */
  const incoming = NodePath.join(root, "~incoming")

  /** The directory of a blob, then each one above it up to the root. */
  const directoriesOf = (key: string): ReadonlyArray<string> => {
    const names = key.split("/")
    return names.map((_, depth) => NodePath.join(root, ...names.slice(0, names.length - 1 - depth)))
  }

  const syncDirectory = (directory: string) =>
    canSyncDirectories
      ? fs.open(directory, { flag: "r" }).pipe(
          Effect.flatMap((handle) => handle.sync),
          Effect.scoped,
          // Pruned with its last blob meanwhile.
          Effect.catchIf(isMissing, () => Effect.void)
        )
      : Effect.void

  /** Moves a synced file into its place; durable when it returns, new directories included. */
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
   * Gives a synced file, which stays where it is, a place of its own. `false`, and nothing has changed, when it is taken.
   * What lies there is durable when this returns, either way.
   */
  const publishNew = Effect.fnUntraced(function* (file: string, key: string) {
    const [directory = root] = directoriesOf(key)
    const isNew = yield* fs.makeDirectory(directory, { recursive: true, mode: 0o700 }).pipe(
      Effect.andThen(fs.link(file, NodePath.join(root, key))),
      Effect.as(true),
      Effect.retry({ times: retries, while: (error) => error.reason._tag === "NotFound" }),
      Effect.catchIf(isTaken, () => Effect.succeed(false))
    )
    yield* Effect.forEach(directoriesOf(key), syncDirectory, { discard: true })
    return isNew
  })

  /** Durable when it returns. Directories that are empty then go too. */
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

  /** Removes what writers left behind that did not live to publish it. */
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

  /** A new file in `incoming`, which is made anew when it was removed under a running server. */
  const create = (file: string) => {
    const open = fs.open(file, { flag: "wx", mode: 0o600 })
    return Effect.catchIf(open, isMissing, () => Effect.andThen(makeIncoming, open))
  }

  yield* makeIncoming
  return { incoming, create, publish, publishNew, retract, sweep }
})
