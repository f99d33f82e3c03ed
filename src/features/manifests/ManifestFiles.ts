/** The files of manifests: below folders, or named one by one. */
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Effect, Schema } from "effect"
import * as FolderWalk from "./FolderWalk.ts"

/** Of one folder. */
const mostFiles = 10_000

const extensions: ReadonlySet<string> = new Set([".yaml", ".yml", ".json"])

export const isManifestName = (name: string): boolean => extensions.has(path.extname(name).toLowerCase())

/** The file or folder cannot be read. */
export class UnreadablePath extends Schema.TaggedError<UnreadablePath>()("UnreadablePath", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `${this.path}: ${this.reason}`
  }
}

export interface FoundFile {
  /** The path shown to people: as given, plus the rest. */
  readonly name: string
  readonly path: string
  /** The real path of the folder. Nothing outside it is read. */
  readonly root: string
  /** Changes when the file does. */
  readonly stamp: string
}

const reasonOf = (cause: unknown): string => {
  if (cause instanceof FolderWalk.FolderTooLarge) return cause.message
  return cause instanceof Error && "code" in cause && cause.code === "ENOENT"
    ? "There is no such file or folder"
    : "It cannot be read"
}

const unreadable = (at: string) => (cause: unknown) =>
  new UnreadablePath({ path: at, reason: reasonOf(cause) })

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

/** A file that was removed after it was listed, or a dangling link, does not count. */
const foundIn = (folder: string, root: string) => (relative: string) =>
  Effect.orElseSucceed(found(path.join(folder, relative), path.join(root, relative), root), () => null)

/** One file, or the files below a folder by name. Links to files are followed within the folder, to folders never. */
export const find = Effect.fnUntraced(function* (given: string) {
  const root = yield* attempt(given, () => fs.realpath(given))
  const stat = yield* attempt(given, () => fs.stat(root))
  if (!stat.isDirectory()) {
    const one = yield* found(given, root, path.dirname(root))
    if (one === null)
      return yield* new UnreadablePath({ path: given, reason: "Expected a folder, or a file" })
    return [one]
  }
  const names = (yield* attempt(given, () => FolderWalk.files(root))).filter(isManifestName).sort()
  if (names.length > mostFiles) {
    return yield* new UnreadablePath({ path: given, reason: `Expected at most ${mostFiles} files in it` })
  }
  const files = yield* Effect.forEach(names, foundIn(given, root), { concurrency: 16 })
  return files.filter((file) => file !== null)
})
