/**
 * Frames of archived segments on disk, by digest, so that each is fetched from a bucket once. A frame is checked when it is read. The
 * oldest are removed when there are too many bytes. Several processes may use the folder. If it cannot be written, nothing is cached.
 */
import * as crypto from "node:crypto"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Effect } from "effect"
import type { EventStoreError } from "#streams/EventReader.ts"

/** Bytes of all files. */
const defaultLimit = 256 * 1_024 * 1_024

/** The part of the limit that stays. */
const keptPart = 0.8

export interface SegmentCache {
  /** The frame with this digest, or what `fetch` gives. */
  readonly through: (
    digest: string,
    fetch: Effect.Effect<Uint8Array, EventStoreError>
  ) => Effect.Effect<Uint8Array, EventStoreError>
}

const isFrame = (bytes: Uint8Array, digest: string) => crypto.hash("sha256", bytes, "hex") === digest

/** Removes the oldest files above `bytes`. Returns the bytes that are left. */
const prune = async (folder: string, bytes: number): Promise<number> => {
  const files = await Promise.all(
    (await fs.readdir(folder)).map(async (name) => {
      const file = path.join(folder, name)
      const stat = await fs.stat(file).catch(() => null)
      return { file, size: stat?.size ?? 0, at: stat?.mtimeMs ?? 0 }
    })
  )
  let left = files.reduce((sum, { size }) => sum + size, 0)
  for (const { file, size } of files.toSorted((a, b) => a.at - b.at)) {
    if (left <= bytes) break
    await fs.rm(file, { force: true })
    left -= size
  }
  return left
}

export const make = (directory: string, limit = defaultLimit): SegmentCache => {
  const folder = path.join(directory, "archive-cache")
  /** What was in the folder at the last look, and what was written since. */
  let known: number | undefined
  let writes = 0

  const read = (digest: string) =>
    Effect.promise(() => fs.readFile(path.join(folder, digest)).catch(() => null))

  const write = async (digest: string, bytes: Uint8Array) => {
    const part = path.join(folder, `${digest}.${process.pid}-${writes++}.part`)
    try {
      await fs.mkdir(folder, { recursive: true, mode: 0o700 })
      await fs.writeFile(part, bytes, { mode: 0o600 })
      await fs.rename(part, path.join(folder, digest))
      known = (known ?? (await prune(folder, limit))) + bytes.length
      if (known > limit) known = await prune(folder, limit * keptPart)
    } catch {
      await fs.rm(part, { force: true }).catch(() => {})
    }
  }

  return {
    through: (digest, fetch) =>
      Effect.flatMap(read(digest), (bytes) =>
        bytes !== null && isFrame(bytes, digest)
          ? Effect.succeed(bytes)
          : Effect.tap(fetch, (fetched) =>
              isFrame(fetched, digest) ? Effect.promise(() => write(digest, fetched)) : Effect.void
            )
      )
  }
}
