/** The files of manifests: found below folders, or named one by one, and read. */
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Effect, Schema } from "effect"

/** Bytes of one file. */
export const largestFile = 1_024 * 1_024

/** Of one folder. */
export const mostFiles = 10_000

const extensions: ReadonlySet<string> = new Set([".yaml", ".yml", ".json"])

export const isManifestName = (name: string): boolean => extensions.has(path.extname(name).toLowerCase())

/** The file, or the folder, cannot be read. */
export class UnreadablePath extends Schema.TaggedError<UnreadablePath>()("UnreadablePath", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `${this.path}: ${this.reason}`
  }
}

export interface FoundFile {
  /** As it is told to people: the path that was given, with what leads on from it. */
  readonly name: string
  readonly path: string
  /** Nothing outside it is read on a file's behalf. Without symbolic links. */
  readonly root: string
  /** Changes when the file does. */
  readonly stamp: string
}

const unreadable = (at: string) => (cause: unknown) =>
  new UnreadablePath({
    path: at,
    reason:
      cause instanceof Error && "code" in cause && cause.code === "ENOENT"
        ? "There is no such file or folder"
        : "It cannot be read"
  })

const attempt = <A>(at: string, run: () => Promise<A>) =>
  Effect.tryPromise({ try: run, catch: unreadable(at) })

export const isInside = (root: string, file: string): boolean => {
  const relative = path.relative(root, file)
  return relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative)
}

const found = Effect.fnUntraced(function* (name: string, file: string, root: string) {
  const target = yield* attempt(name, () => fs.realpath(file))
  if (!isInside(root, target)) return null
  const { ino, isFile, mtimeMs, size } = yield* attempt(name, async () => {
    const stat = await fs.stat(target)
    return { ...stat, isFile: stat.isFile() }
  })
  return isFile ? { name, path: target, root, stamp: `${ino}:${size}:${mtimeMs}` } : null
})

/** A file that went away since it was listed, or a link to nowhere, is not there. */
const foundIn = (folder: string, root: string) => (relative: string) =>
  Effect.orElseSucceed(found(path.join(folder, relative), path.join(root, relative), root), () => null)

/** Names that begin with a dot are hidden ones: of editors, of versions that Kubernetes swaps. */
const isHidden = (relative: string): boolean => relative.split(path.sep).some((part) => part.startsWith("."))

/**
 * One file, or those below a folder in the order of their names. Symbolic links to files are followed within the folder only,
 * those to folders not at all.
 */
export const find = Effect.fnUntraced(function* (given: string) {
  const root = yield* attempt(given, () => fs.realpath(given))
  const stat = yield* attempt(given, () => fs.stat(root))
  if (!stat.isDirectory()) {
    const one = yield* found(given, root, path.dirname(root))
    return one === null ? [] : [one]
  }
  const entries = yield* attempt(given, () => fs.readdir(root, { recursive: true }))
  const names = entries.filter((entry) => isManifestName(entry) && !isHidden(entry)).sort()
  if (names.length > mostFiles) {
    return yield* new UnreadablePath({ path: given, reason: `Expected at most ${mostFiles} files in it` })
  }
  const files = yield* Effect.forEach(names, foundIn(given, root), { concurrency: 16 })
  return files.filter((file) => file !== null)
})

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** Fails with what is wrong in words. */
export const read = (file: string): Effect.Effect<string, string> =>
  Effect.tryPromise({ try: () => fs.stat(file), catch: () => "It cannot be read" }).pipe(
    Effect.filterOrFail(
      ({ size }) => size <= largestFile,
      () => `Expected at most ${largestFile} bytes`
    ),
    Effect.andThen(Effect.tryPromise({ try: () => fs.readFile(file), catch: () => "It cannot be read" })),
    Effect.flatMap((bytes) =>
      Effect.try({ try: () => utf8.decode(bytes), catch: () => "Expected text in UTF-8" })
    )
  )
