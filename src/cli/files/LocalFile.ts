/** A local file during an upload. Detects changes of the file during the upload. */
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Schema } from "effect"
import { describe } from "#src/cli/Failure.ts"

export class LocalFileError extends Schema.TaggedError<LocalFileError>()("LocalFileError", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `${this.path}: ${this.reason}`
  }
}

export interface LocalFile {
  /** Absolute. */
  readonly path: string
  /** Last segment of the path. */
  readonly name: string
  /** Bytes. */
  readonly size: number
  /** Changes with the size, modification time or inode of the file. */
  readonly version: string
  /** Reads the file when it is read. */
  readonly blob: Blob
}

const failed = (file: string) => (error: unknown) =>
  new LocalFileError({ path: file, reason: `cannot be read: ${describe(error)}` })

const versionOf = ({ ino, mtimeNs, size }: fs.BigIntStats): string => `${size}.${mtimeNs}.${ino}`

export const open = Effect.fnUntraced(function* (file: string) {
  const tried = <A>(run: () => Promise<A>) => Effect.tryPromise({ try: run, catch: failed(file) })
  const found = yield* tried(() => fs.promises.stat(file, { bigint: true }))
  if (!found.isFile()) return yield* new LocalFileError({ path: file, reason: "not a regular file" })
  const absolute = path.resolve(file)
  return {
    path: absolute,
    name: path.basename(absolute),
    size: Number(found.size),
    version: versionOf(found),
    blob: yield* tried(() => fs.openAsBlob(absolute))
  } satisfies LocalFile
})

/** The error to end an upload with if the file has changed since it was opened, otherwise `null`. */
export const changeOf = async ({ path: file, version }: LocalFile): Promise<LocalFileError | null> => {
  const found = await fs.promises.stat(file, { bigint: true }).catch(() => null)
  if (found !== null && versionOf(found) === version) return null
  const reason =
    "changed during the upload, so no file was created. Upload it again when no program writes to it"
  return new LocalFileError({ path: file, reason })
}

/** The MD5 of bytes of a file, in hex. */
export const md5 = async (blob: Blob): Promise<string> => {
  const hash = crypto.createHash("md5")
  for await (const chunk of blob.stream()) hash.update(chunk)
  return hash.digest("hex")
}

/** The first bytes of the file, at most `length`. */
export const head = (
  { blob, path: file }: LocalFile,
  length: number
): Effect.Effect<Buffer, LocalFileError> =>
  Effect.tryPromise({
    try: async () => Buffer.from(await blob.slice(0, length).arrayBuffer()),
    catch: failed(file)
  })
