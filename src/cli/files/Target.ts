/** Where a download is written: beside its place under another name, until all of it is there. */
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Schema, type Scope } from "effect"
import { cleanFileName } from "#src/features/media/MediaType.ts"
import { describe } from "#src/cli/Failure.ts"

export class TargetError extends Schema.TaggedError<TargetError>()("TargetError", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `${this.path}: ${this.reason}`
  }
}

const tried = <A>(file: string, run: () => Promise<A>): Effect.Effect<A, TargetError> =>
  Effect.tryPromise({
    try: run,
    catch: (error) => new TargetError({ path: file, reason: `cannot be written: ${describe(error)}` })
  })

const stat = (file: string) => fs.statSync(file, { throwIfNoEntry: false })

/** A name that others chose names no other folder, and nothing that a program reads unasked. */
const safeName = (name: string): string => cleanFileName(name).replace(/^\.+/, "_")

/** The path that was asked for, or the file's name in it when it is a folder; without one a new file here. */
export const choose = Effect.fnUntraced(function* (asked: string | null, fileName: string) {
  if (asked !== null) {
    return stat(asked)?.isDirectory() === true ? path.join(asked, safeName(fileName)) : asked
  }
  const name = safeName(fileName)
  if (stat(name) === undefined) return name
  return yield* new TargetError({ path: name, reason: "is there already: say where to with --output" })
})

export interface Partial {
  readonly path: string
  /** Bytes that are there. */
  readonly size: number
}

/** What is there of these bytes, known by their ETag; without one that tells bytes from bytes nothing is ever taken up again. */
export const partial = (target: string, url: string, etag: string | null): Partial => {
  const text = etag === null ? crypto.randomUUID() : `${url}\n${etag}`
  const tag = crypto.createHash("sha256").update(text).digest("hex").slice(0, 12)
  const file = path.join(path.dirname(target), `.${path.basename(target)}.${tag}.part`)
  return { path: file, size: stat(file)?.size ?? 0 }
}

export interface Sink {
  readonly write: (chunk: Uint8Array) => Effect.Effect<void, TargetError>
  /** Everything written is on disk when it returns. */
  readonly sync: Effect.Effect<void, TargetError>
}

/** Open for bytes from `start` on, what was there behind it is cut off; closed with the scope. */
export const open = (file: string, start: number): Effect.Effect<Sink, TargetError, Scope.Scope> =>
  Effect.acquireRelease(
    tried(file, async () => {
      const handle = await fs.promises.open(file, "a", 0o600)
      await handle.truncate(start)
      return handle
    }),
    (handle) => Effect.promise(() => handle.close())
  ).pipe(
    Effect.map((handle) => ({
      write: (chunk) => tried(file, () => handle.appendFile(chunk)),
      sync: tried(file, () => handle.sync())
    }))
  )

/** Puts what is whole in its place. */
export const finish = (partial: string, target: string) =>
  tried(target, () => fs.promises.rename(partial, target))

export const discard = (partial: string) => tried(partial, () => fs.promises.rm(partial, { force: true }))
