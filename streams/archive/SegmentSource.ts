/**
 * Where the bytes of archived segments are read. A location is a folder, `file:///…`, or a bucket, `s3://…`; this default reads
 * folders. A process that can reach buckets provides another one.
 */
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as url from "node:url"
import { Context, Effect } from "effect"
import * as Errno from "../Errno.ts"
import { EventStoreError } from "../EventReader.ts"

export interface SegmentPlace {
  readonly location: string
  readonly key: string
}

interface ByteRange {
  readonly start: number
  readonly length: number
  /** SHA-256 of the bytes, hexadecimal, for a cache. The reader checks it. */
  readonly digest?: string
}

export interface SegmentBytes {
  /** Exactly these bytes, or all. Fails when the segment is missing, shorter, or out of reach. */
  readonly read: (place: SegmentPlace, range?: ByteRange) => Effect.Effect<Uint8Array, EventStoreError>
}

/** Names the segment and not its location, which a client need not know. */
export const unreadable = (key: string, reason: string, cause?: unknown): EventStoreError =>
  new EventStoreError({
    reason: `The archived segment ${key} cannot be read: ${reason}`,
    segment: key,
    ...(cause !== undefined && { cause })
  })

const readFile = async (file: string, range: ByteRange | undefined): Promise<Uint8Array> => {
  if (range === undefined) return fs.readFile(file)
  const opened = await fs.open(file, "r")
  try {
    const bytes = Buffer.alloc(range.length)
    const { bytesRead } = await opened.read(bytes, 0, range.length, range.start)
    return bytes.subarray(0, bytesRead)
  } finally {
    await opened.close()
  }
}

const reasonOf = (cause: unknown): string => {
  const name = Errno.nameOf(cause)
  return name === "ENOENT" ? "it is not there" : (name ?? "unknown")
}

export const folders: SegmentBytes = {
  read: ({ key, location }, range) => {
    if (!location.startsWith("file:///")) return Effect.fail(unreadable(key, "it is not in a folder"))
    return Effect.tryPromise({
      try: () => readFile(path.join(url.fileURLToPath(location), key), range),
      catch: (cause) => unreadable(key, reasonOf(cause), cause)
    }).pipe(
      Effect.filterOrFail(
        (bytes) => range === undefined || bytes.length === range.length,
        () => unreadable(key, "it is too short")
      )
    )
  }
}

export const SegmentSource = Context.Reference<SegmentBytes>("inferlog/streams/archive/SegmentSource", {
  defaultValue: () => folders
})
