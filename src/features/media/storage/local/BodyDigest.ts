/** The digest of a body while it is written to a file: small ones at once, large ones in a thread (`HashThreads`). */
import * as crypto from "node:crypto"
import { Effect, type Scope } from "effect"
import type { BlobStoreError } from "#streams/BlobStore.ts"
import type { Algorithm } from "./HashProtocol.ts"
import type { Hashing, HashThreads } from "./HashThreads.ts"

/** Call it with what was written to the file. */
interface Written {
  readonly chunks: ReadonlyArray<Uint8Array>
  readonly descriptor: number
  readonly from: number
  readonly to: number
}

export interface BodyDigest {
  readonly wrote: (written: Written) => void
  /** Written bytes that are not hashed yet. */
  readonly behind: () => number
  /** Calls back whenever some were hashed. */
  readonly onProgress: (callback: () => void) => void
  /** Hex. */
  readonly digest: Effect.Effect<string, BlobStoreError>
}

/** Up to this many bytes the main thread needs less than two ms for both digests. */
const smallBody = 1024 * 1024

const here = (algorithm: Algorithm): BodyDigest => {
  const hash = crypto.createHash(algorithm)
  return {
    wrote: ({ chunks }) => {
      for (const chunk of chunks) hash.update(chunk)
    },
    behind: () => 0,
    onProgress: () => {},
    digest: Effect.sync(() => hash.digest("hex"))
  }
}

const inThread = ({ behind, digest, onProgress, read }: Hashing): BodyDigest => ({
  wrote: ({ descriptor, from, to }) => read(descriptor, from, to),
  behind,
  onProgress,
  digest
})

/** @param size bytes, as far as known. */
export const make = (
  threads: HashThreads["Service"],
  algorithm: Algorithm,
  size: number | undefined
): Effect.Effect<BodyDigest, never, Scope.Scope> =>
  size !== undefined && size <= smallBody
    ? Effect.sync(() => here(algorithm))
    : Effect.map(threads.begin(algorithm), inThread)
