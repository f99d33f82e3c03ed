/** Calls of Node on a file descriptor. They are not interrupted: the descriptor could belong to another file by then. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import type { BlobStoreError } from "#streams/BlobStore.ts"
import * as FileFailure from "#streams/FileFailure.ts"

type Done<A> = (error: NodeJS.ErrnoException | null, value: A) => void

const call = <A>(operation: string, run: (done: Done<A>) => void): Effect.Effect<A, BlobStoreError> =>
  Effect.uninterruptible(
    Effect.callback((resume) =>
      run((error, value) =>
        resume(error === null ? Effect.succeed(value) : Effect.fail(FileFailure.ofNode(operation, error)))
      )
    )
  )

const close = (descriptor: number) =>
  Effect.ignore(call<void>("close a file", (done) => fs.close(descriptor, (error) => done(error ?? null))))

/** A new file that can also be read; recreates its directory if it was removed. Closed with the scope. */
export const create = (filename: string) => {
  const open = (done: Done<number>) => fs.open(filename, "wx+", 0o600, done)
  return Effect.acquireRelease(
    call<number>("write a blob", (done) =>
      open((error, descriptor) => {
        if (error?.code !== "ENOENT") return done(error, descriptor)
        fs.mkdir(path.dirname(filename), { recursive: true, mode: 0o700 }, (failed) =>
          failed === null ? open(done) : done(failed, descriptor)
        )
      })
    ),
    close
  )
}

/** An existing file, for reading. Closed with the scope. */
export const open = (path: string) =>
  Effect.acquireRelease(
    call<number>("read a blob", (done) => fs.open(path, "r", done)),
    close
  )

export const sync = (descriptor: number) =>
  call<void>("write a blob", (done) => fs.fsync(descriptor, (error) => done(error, undefined)))

export const sizeOf = (descriptor: number) =>
  Effect.map(
    call<fs.Stats>("read a blob", (done) => fs.fstat(descriptor, done)),
    ({ size }) => size
  )

/** Succeeds if the file does not exist. */
export const remove = (path: string) =>
  Effect.ignore(call<void>("remove a file", (done) => fs.unlink(path, (error) => done(error, undefined))))
