/** The target of a download. Bytes are written to a temporary file beside it until the download is complete. */
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Predicate } from "effect"
import { cleanFileName } from "#src/features/media/MediaType.ts"
import { CommandError, describe } from "#src/cli/Failure.ts"

const tried = <A>(file: string, run: () => Promise<A>): Effect.Effect<A, CommandError> =>
  Effect.tryPromise({
    try: run,
    catch: (error) => new CommandError({ message: `${file}: cannot be written: ${describe(error)}` })
  })

const stat = (file: string) => fs.statSync(file, { throwIfNoEntry: false })

/** Makes a name from the server safe: the result never refers to another folder, and is not hidden. */
const safeName = (name: string): string => cleanFileName(name).replace(/^\.+/, "_")

/** The requested path, or the file's name in it if it is a folder. Without a path, a new file in the current folder. */
export const choose = Effect.fnUntraced(function* (requested: string | null, fileName: string) {
  if (requested !== null) {
    return stat(requested)?.isDirectory() === true ? path.join(requested, safeName(fileName)) : requested
  }
  const name = safeName(fileName)
  if (stat(name) === undefined) return name
  return yield* new CommandError({
    message: `${name}: already exists: choose another target with --output`
  })
})

/** Copies of one name in a folder. */
const mostCopies = 1_000

/** Makes an empty file in the folder, with this name, or with a number behind it if there is such a file. */
export const reserve = (directory: string, fileName: string) => {
  const { ext, name } = path.parse(safeName(fileName))
  return tried(directory, async () => {
    for (let copy = 1; ; copy += 1) {
      const file = path.join(directory, `${name}${copy === 1 ? "" : `-${copy}`}${ext}`)
      try {
        await (await fs.promises.open(file, "wx")).close()
        return file
      } catch (error) {
        if (copy === mostCopies || !Predicate.hasProperty(error, "code") || error.code !== "EEXIST")
          throw error
      }
    }
  })
}

export const makeFolder = (directory: string) =>
  tried(directory, () => fs.promises.mkdir(directory, { recursive: true }))

export interface Partial {
  readonly path: string
  /** Downloaded bytes. */
  readonly size: number
}

/** The partial download with this ETag. Without a strong ETag, a partial download is never continued. */
export const partial = (target: string, url: string, etag: string | null): Partial => {
  const text = etag === null ? crypto.randomUUID() : `${url}\n${etag}`
  const tag = crypto.createHash("sha256").update(text).digest("hex").slice(0, 12)
  const file = path.join(path.dirname(target), `.${path.basename(target)}.${tag}.part`)
  return { path: file, size: stat(file)?.size ?? 0 }
}

/** Opens the file for writing at `start` and removes any bytes after it. Closed with the scope. */
export const open = (file: string, start: number) =>
  Effect.acquireRelease(
    tried(file, async () => {
      const handle = await fs.promises.open(file, "a", 0o600)
      await handle.truncate(start)
      return handle
    }),
    (handle) => Effect.promise(() => handle.close())
  ).pipe(
    Effect.map((handle) => ({
      write: (chunk: Uint8Array) => tried(file, () => handle.appendFile(chunk)),
      /** Returns when all written bytes are on disk. */
      sync: tried(file, () => handle.sync())
    }))
  )

/** Moves the complete file to the target. */
export const finish = (partial: string, target: string) =>
  tried(target, () => fs.promises.rename(partial, target))

export const discard = (partial: string) => tried(partial, () => fs.promises.rm(partial, { force: true }))
