/** A local file during an upload. Detects changes of the file during the upload. */
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import * as NodeStream from "@effect/platform-node/NodeStream"
import { Effect, Schema, Stream } from "effect"
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
}

export interface Range {
  /** First byte. */
  readonly start: number
  /** Bytes. */
  readonly length: number
}

/** Bytes in memory per reader. */
const chunkSize = 256 * 1024

const failed = (file: string) => (error: unknown) =>
  new LocalFileError({ path: file, reason: `cannot be read: ${describe(error)}` })

const stat = (file: string) =>
  Effect.tryPromise({ try: () => fs.promises.stat(file, { bigint: true }), catch: failed(file) })

const versionOf = ({ ino, mtimeNs, size }: fs.BigIntStats): string => `${size}.${mtimeNs}.${ino}`

export const open = Effect.fnUntraced(function* (file: string) {
  const found = yield* stat(file)
  if (!found.isFile()) return yield* new LocalFileError({ path: file, reason: "not a regular file" })
  const absolute = path.resolve(file)
  return {
    path: absolute,
    name: path.basename(absolute),
    size: Number(found.size),
    version: versionOf(found)
  } satisfies LocalFile
})

/** Fails when the file has changed since it was opened. */
export const requireUnchanged = Effect.fnUntraced(function* (file: LocalFile) {
  if (versionOf(yield* stat(file.path)) === file.version) return
  const reason =
    "changed during the upload, so no file was created. Upload it again when no program writes to it"
  return yield* new LocalFileError({ path: file.path, reason })
})

export const bytes = (file: LocalFile, { length, start }: Range): Stream.Stream<Uint8Array, LocalFileError> =>
  length === 0
    ? Stream.empty
    : NodeStream.fromReadable({
        evaluate: () =>
          fs.createReadStream(file.path, { start, end: start + length - 1, highWaterMark: chunkSize }),
        onError: failed(file.path)
      })

/** The MD5 of a range of the file. */
export const md5 = (file: LocalFile, range: Range): Effect.Effect<Buffer, LocalFileError> =>
  Effect.suspend(() => {
    const hash = crypto.createHash("md5")
    return Stream.runForEach(bytes(file, range), (chunk) => Effect.sync(() => hash.update(chunk))).pipe(
      Effect.map(() => hash.digest())
    )
  })

/** The first bytes of the file, at most `length`. */
export const head = (file: LocalFile, length: number): Effect.Effect<Buffer, LocalFileError> =>
  Stream.runCollect(bytes(file, { start: 0, length: Math.min(length, file.size) })).pipe(
    Effect.map((chunks) => Buffer.concat(chunks))
  )
